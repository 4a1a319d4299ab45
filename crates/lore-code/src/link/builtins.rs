//! Functions that every file of a language has without importing them: a file that calls `filter`
//! does not mean a function of that name in another file.

use crate::language::Language;

/// Whether a function is built into a language or part of its standard library.
pub(super) fn is_built_in(language: Language, name: &str) -> bool {
    let known = match language {
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => SCRIPT,
        Language::Go => GO,
        Language::Rust => "Err None Ok Some drop",
        Language::C | Language::Cpp => C,
        Language::Shell => SHELL,
        Language::Java | Language::Sql => "",
    };
    known.split_whitespace().any(|word| word == name)
}

/// Whether strings, lists and similar types have a method of this name. If it is called on a value
/// of unknown type, it is most likely theirs.
pub(super) fn is_common_method(language: Language, name: &str) -> bool {
    let known = match language {
        Language::Rust => RUST_METHODS,
        Language::Python => PYTHON_METHODS,
        Language::JavaScript | Language::TypeScript | Language::Tsx => SCRIPT_METHODS,
        Language::Java => JAVA_METHODS,
        Language::Cpp => CPP_METHODS,
        Language::Go => "Close Error Len Read String Write",
        Language::C | Language::Sql | Language::Shell => "",
    };
    known.split_whitespace().any(|word| word == name)
}

const PYTHON: &str = "\
    __import__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr \
    classmethod compile complex delattr dict dir divmod enumerate eval exec exit filter float \
    format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass \
    iter len list locals map max memoryview min next object oct open ord pow print property quit \
    range repr reversed round set setattr slice sorted staticmethod str sum super tuple type \
    vars zip";

const SCRIPT: &str = "\
    Array ArrayBuffer BigInt Boolean DataView Date Error Function Map Number Object Promise \
    Proxy RangeError RegExp Set String Symbol SyntaxError TypeError URL WeakMap WeakRef WeakSet \
    alert atob btoa cancelAnimationFrame clearImmediate clearInterval clearTimeout confirm \
    decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval fetch isFinite isNaN \
    parseFloat parseInt prompt queueMicrotask requestAnimationFrame require setImmediate \
    setInterval setTimeout structuredClone unescape";

const GO: &str = "\
    append bool byte cap clear close complex complex128 complex64 copy delete error float32 \
    float64 imag int int16 int32 int64 int8 len make max min new panic print println real \
    recover rune string uint uint16 uint32 uint64 uint8 uintptr";

const C: &str = "\
    abort abs assert atexit atof atoi atol bsearch calloc ceil cos exit exp fabs fclose feof \
    ferror fflush fgetc fgets floor fmod fopen fprintf fputc fputs fread free fscanf fseek ftell \
    fwrite getc getchar getenv isalnum isalpha isdigit islower isspace isupper log malloc memchr \
    memcmp memcpy memmove memset offsetof perror pow printf putc putchar puts qsort rand realloc \
    remove rename scanf setjmp signal sin sizeof snprintf sprintf sqrt srand sscanf \
    static_assert strcat strchr strcmp strcpy strcspn strdup strerror strlen strncat strncmp \
    strncpy strpbrk strrchr strspn strstr strtod strtok strtol strtoul system tan time tolower \
    toupper va_arg va_end va_start vfprintf vprintf vsnprintf";

const SHELL: &str = "\
    . : [ alias bg break builtin cd command continue declare dirs echo eval exec exit export \
    false fg getopts hash jobs kill let local popd printf pushd pwd read readonly return set \
    shift source test times trap true type typeset ulimit umask unalias unset wait";

const RUST_METHODS: &str = "\
    abs all any append as_bytes as_deref as_mut as_ref as_slice as_str borrow borrow_mut bytes \
    chain chars chunks clear clone cloned cmp collect concat contains contains_key copied count \
    dedup display drain ends_with entry enumerate eq err exists expect extend file_name filter \
    filter_map find find_map first flat_map flatten flush fold for_each get get_mut get_or_insert \
    get_or_insert_with hash insert into into_iter is_dir is_empty is_err is_file is_none is_null \
    is_ok is_some iter iter_mut join keys last len lines lock map map_err map_or map_or_else max \
    min next nth ok ok_or ok_or_else or or_else parent parse peek pop position pow push push_str \
    read remove replace resize retain rev round send skip sort sort_by sort_by_key sort_unstable \
    split splitn starts_with step_by sub sum swap take take_while then then_some to_lowercase \
    to_owned to_str to_string to_vec trim truncate try_into unwrap unwrap_or unwrap_or_default \
    unwrap_or_else values windows write write_all zip";

const PYTHON_METHODS: &str = "\
    add append clear close copy count decode discard encode endswith extend find format get \
    group index insert isdigit items join keys lower lstrip match pop popitem read readline \
    readlines remove replace reverse rstrip search seek setdefault sort split splitlines \
    startswith strip sub title update upper values write";

const SCRIPT_METHODS: &str = "\
    add addEventListener apply at bind call catch charAt clear concat delete endsWith entries \
    every exec fill filter finally find findIndex flat flatMap forEach get has hasOwnProperty \
    includes indexOf join keys lastIndexOf map match next pop push reduce replace replaceAll \
    reverse search set shift slice some sort splice split startsWith substring test then toFixed \
    toLowerCase toString toUpperCase trim unshift values";

const JAVA_METHODS: &str = "\
    add addAll append charAt clear compareTo contains containsKey entrySet equals filter forEach \
    get getClass getKey getOrDefault getValue hasNext hashCode indexOf isEmpty iterator join \
    keySet length map next orElse put remove replace set size sort split startsWith stream \
    substring toArray toString trim valueOf values";

const CPP_METHODS: &str = "\
    append at back begin c_str cbegin cend clear count data emplace emplace_back empty end erase \
    find first front get insert length lock pop pop_back push push_back rbegin rend reset resize \
    second size str substr swap";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_its_own() {
        assert!(is_built_in(Language::Python, "enumerate") && is_built_in(Language::Go, "len"));
        assert!(!is_built_in(Language::Python, "parseInt") && !is_built_in(Language::Java, ""));
        assert!(is_common_method(Language::Rust, "zip") && is_common_method(Language::Rust, "all"));
        assert!(!is_common_method(Language::C, "find"));
    }
}
