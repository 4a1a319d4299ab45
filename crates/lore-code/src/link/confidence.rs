//! How certain it is that an edge leads to what is meant, from 0 to 1, by the way it was found.

/// It follows from the syntax alone.
pub(super) const CERTAIN: f64 = 1.0;

/// A function of the same file, or a method of the same class.
pub(super) const SAME_FILE: f64 = 0.95;
/// A function of the same Go package.
pub(super) const SAME_PACKAGE: f64 = 0.9;
/// A method of a class that a path names.
pub(super) const METHOD_BY_PATH: f64 = 0.9;
/// A function that an import or the path of a module leads to.
pub(super) const IMPORTED: f64 = 0.85;
/// A method of a base type.
pub(super) const INHERITED: f64 = 0.85;
/// A constructor of a class.
pub(super) const CONSTRUCTOR: f64 = 0.85;
/// A function of a file from which everything is imported.
pub(super) const IMPORTED_WITH_ALL: f64 = 0.8;
/// A function of a file or folder with the name of the module.
pub(super) const MODULE_BY_NAME: f64 = 0.8;
/// A function somewhere below a folder with the name of the package.
pub(super) const PACKAGE_BY_NAME: f64 = 0.7;

/// A type that is imported.
pub(super) const IMPORTED_TYPE: f64 = 0.9;
/// The only type of this name within reach.
pub(super) const ONLY_TYPE: f64 = 0.8;
/// The nearest of several types of this name.
pub(super) const NEAREST_TYPE: f64 = 0.4;
/// Only the end of a path matches.
pub(super) const GUESS: f64 = 0.3;

/// How much less certain a method is if it is in another file than the call.
pub(super) const OTHER_FILE: f64 = 0.1;
/// The same if there are several types of the name.
pub(super) const OTHER_FILE_UNSURE: f64 = 0.4;

/// The only function of this name, in a language whose files are linked together.
pub(super) const UNIQUE_LINKED_FUNCTION: f64 = 0.6;
/// The only method of this name.
pub(super) const UNIQUE_METHOD: f64 = 0.5;
/// The only function of this name.
pub(super) const UNIQUE_FUNCTION: f64 = 0.3;
/// One of a few definitions of this name, or a common name.
pub(super) const ONE_OF_FEW: f64 = 0.2;
/// The most for one of several overloads that accept the number of arguments, or if none does.
pub(super) const UNSURE_OVERLOAD: f64 = 0.6;

/// A file that an import refers to.
pub(super) const IMPORTED_FILE: f64 = 0.8;
/// A Go type has the methods of an interface of its own package.
pub(super) const GO_SAME_PACKAGE: f64 = 0.8;
/// A Go type has the methods of an interface of another package.
pub(super) const GO_OTHER_PACKAGE: f64 = 0.6;
