//! Tests of the built-in extractor with realistic paragraphs: news, minutes, letters, obituaries,
//! reports. Each lists what must be found and what must not.

use super::built_in::extract;

/// A paragraph, what must be found in it, and what must not.
type Story = (&'static str, &'static [&'static str], &'static [&'static str]);

const STORIES: [Story; 44] = [
    (
        "Mr. Tom Hale works for Acme Corporation, and Mrs. Jane Poole collaborates with Tom Hale on \
         the new line.",
        &[
            "Person Tom Hale",
            "Person Jane Poole",
            "Organization Acme Corporation",
            "Tom Hale affiliated_with Acme Corporation",
            "Jane Poole collaborates_with Tom Hale",
        ],
        &["Mrs", "Tom Hale affiliated_with Jane Poole"],
    ),
    (
        "Omar Haddad works at Blue River Institute and Mr. Finn Cole is the founder of Pine Trust.",
        &[
            "Organization Blue River Institute",
            "Omar Haddad affiliated_with Blue River Institute",
            "Person Finn Cole",
            "Finn Cole founded Pine Trust",
        ],
        &["Blue River Institute and", "Omar Haddad affiliated_with Finn Cole"],
    ),
    (
        "Dr. Miriam Okafor of the University of Victoria said the kelp had recovered.",
        &[
            "Person Miriam Okafor",
            "Organization University of Victoria",
            "Miriam Okafor affiliated_with University of Victoria",
        ],
        &["Miriam Okafor of"],
    ),
    (
        "Professor Anna Lind of the Institute of Marine Research spoke first.",
        &["Person Anna Lind", "Organization Institute of Marine Research"],
        &["Professor", "Anna Lind of"],
    ),
    (
        "The St. Mark Foundation gave money. Nobody thanked the St. Mark Foundation.",
        &["Organization St. Mark Foundation"],
        &["Organization Mark Foundation"],
    ),
    (
        "J. R. Pemberton founded the Harrow Guild in 1921. It closed in 1950.",
        &["J. R. Pemberton founded Harrow Guild", "Person J. R. Pemberton"],
        &["Person Pemberton"],
    ),
    (
        "Harold J. Finch works at Kestrel Boats Ltd. He sails.",
        &["Harold J. Finch affiliated_with Kestrel Boats Ltd."],
        &["Person Finch", "He sails"],
    ),
    (
        "Acme, Inc. is based in Oslo. Rowan Vale Jr. works for Acme, Inc. as a clerk.",
        &[
            "Organization Acme, Inc.",
            "Acme, Inc. located_in Oslo",
            "Rowan Vale Jr. affiliated_with Acme, Inc.",
        ],
        &["Organization Inc", "Person Jr"],
    ),
    (
        "LONDON, Nov. 3 – Kestrel Group said on Monday that CEO Mira Kestrel would step down. \
         Chief Financial Officer Bo Lind takes over on Friday.",
        &["Organization Kestrel Group", "Person Mira Kestrel"],
        &["Monday", "CEO Mira", "Friday"],
    ),
    (
        "Acme Corporation CEO Jane Poole told reporters that sales had doubled.",
        &["Organization Acme Corporation", "Person Jane Poole"],
        &["Acme Corporation CEO", "CEO Jane Poole"],
    ),
    (
        "\"We counted every fish,\" said Dr. Wei Zhang. \"It took eleven days!\" she added.",
        &["Person Wei Zhang"],
        &["Dr", "We counted"],
    ),
    (
        "Present: Ms. Ingrid Solberg, Mr. Paulo da Silva, Prof. Dr. Karl Brandt. Apologies: Mr. Hale.",
        &["Person Ingrid Solberg", "Person Paulo da Silva", "Person Karl Brandt"],
        &["Dr Karl", "Mr", "Hale", "Prof"],
    ),
    (
        "The Herring Foundation and the Salish Institute signed the agreement with Tide Labs.",
        &[
            "Organization Herring Foundation",
            "Organization Salish Institute",
            "Organization Tide Labs",
        ],
        &["Foundation and"],
    ),
    (
        "The Food and Agriculture Organization praised Smith & Sons Ltd and the Department of \
         Fisheries and Oceans.",
        &[
            "Organization Food and Agriculture Organization",
            "Organization Smith & Sons Ltd",
            "Organization Department of Fisheries and Oceans",
        ],
        &["Organization Agriculture Organization", "Sons Ltd and"],
    ),
    (
        "The Ministry of Health and Social Affairs answered the Bank of England.",
        &["Organization Ministry of Health and Social Affairs", "Organization Bank of England"],
        &["Person Social Affairs"],
    ),
    (
        "Una Fenn of Tide Labs and Prof. Ola Brandt of the Nordic Academy wrote the report.",
        &[
            "Una Fenn affiliated_with Tide Labs",
            "Ola Brandt affiliated_with Nordic Academy",
            "Person Ola Brandt",
        ],
        &["Tide Labs and", "Una Fenn affiliated_with Nordic Academy"],
    ),
    (
        "Mayor Petra Klein opened the Harbour Bridge Project. President Lincoln never saw it.",
        &["Person Petra Klein", "Project Harbour Bridge Project"],
        &["Mayor Petra", "Person Lincoln"],
    ),
    (
        "General Electric Company bought Captain Cook Island from the King County Council.",
        &[
            "Organization General Electric Company",
            "Location Captain Cook Island",
            "Organization King County Council",
        ],
        &["Person Electric", "Location Cook Island"],
    ),
    (
        "Sen. Ruth Adeyemi and Rep. Carl Voss met at Mt. Baker Lodge. They disagreed.",
        &["Person Ruth Adeyemi", "Person Carl Voss"],
        &["Sen", "Rep", "Ruth Adeyemi and"],
    ),
    (
        "Born in St. Ives, Rev. Thomas Ayres founded the Ayres Hospital. He died in 1901.",
        &["Person Thomas Ayres", "Thomas Ayres founded Ayres Hospital"],
        &["Rev", "Person Ives"],
    ),
    (
        "Approx. 40 people came, e.g. the crew of the Tern. No. 5 was Lena Storm, who works at the \
         Port Authority.",
        &["Organization Port Authority", "Lena Storm affiliated_with Port Authority"],
        &["Approx", "No"],
    ),
    (
        "Ada Holt and Bo Lind work at Tide Labs, while Cy Dahl and the Rook Guild do not.",
        &[
            "Ada Holt affiliated_with Tide Labs",
            "Bo Lind affiliated_with Tide Labs",
            "Organization Rook Guild",
        ],
        &["Cy Dahl and", "Cy Dahl affiliated_with"],
    ),
    (
        "Cy Dahl and Pine Trust are suing Lumen Corp. The court sits in May.",
        &["Organization Pine Trust", "Organization Lumen Corp."],
        &["Cy Dahl and", "Lumen Corp. The"],
    ),
    (
        "Is Mr. Jonas Weber a member of the Tide Guild? \"Jonas Weber founded the Tide Guild?\" asked \
         Ms. Dora Pike.",
        &["Person Jonas Weber", "Person Dora Pike", "Organization Tide Guild"],
        &["Jonas Weber founded", "Jonas Weber affiliated_with"],
    ),
    (
        "Prime Minister Elin Dahl thanked Deputy Mayor Tomas Rey and Vice President Noor Aziz.",
        &["Person Elin Dahl", "Person Tomas Rey", "Person Noor Aziz"],
        &["Prime", "Deputy", "Vice", "Minister"],
    ),
    (
        "Friends of the University of Victoria thanked the Student Union of the University of \
         Victoria.",
        &[],
        &["Person Student Union", "Person Friends", "Student Union affiliated_with"],
    ),
    (
        "The company moved to the U.S. The staff stayed. Rosa Lindqvist is the founder of U.S. Tide \
         Company.",
        &["Rosa Lindqvist founded U.S. Tide Company"],
        &["U.S. The", "The staff"],
    ),
    (
        "Yesterday Mr. and Mrs. Hale gave the key to Mrs. Agnes Thorn's son.",
        &["Person Agnes Thorn"],
        &["Mr", "Mrs", "Yesterday", "Hale"],
    ),
    (
        "Vera von Stein works at the Museum of Modern Art and Ludwig van Dam works for Lumen Inc. \
         in Bonn.",
        &[
            "Vera von Stein affiliated_with Museum of Modern Art",
            "Ludwig van Dam affiliated_with Lumen Inc.",
        ],
        &["Modern Art and"],
    ),
    (
        "Dr. Fox, Dr. Amara Fox and Dr. Leo Fox share a practice.",
        &["Person Amara Fox", "Person Leo Fox"],
        &["Dr", "Amara Fox and"],
    ),
    (
        "In September Hanna Berg retired; the Berg Society was founded by Hanna Berg.",
        &["Hanna Berg founded Berg Society"],
        &["September"],
    ),
    (
        "Version 2.5 of r3.0 shipped at 10.30 a.m. on Tuesday. Read example.org for more.",
        &[],
        &["Tuesday", "Version"],
    ),
    (
        "Captain Ines Moreau knows Sir Hugh Barlow. Both served under Col. Ivor Strand.",
        &["Ines Moreau knows Hugh Barlow", "Person Ivor Strand"],
        &["Captain", "Sir", "Col"],
    ),
    (
        "Kelp Watch, a project of the Ocean Research and Conservation Association, is led by Sofia \
         Reyes, director of the Kelp Network.",
        &[
            "Organization Ocean Research and Conservation Association",
            "Sofia Reyes affiliated_with Kelp Network",
        ],
        &["Organization Conservation Association"],
    ),
    (
        "Lord Howe Island lies far from Queen Mary University and the Lady Bay Trust.",
        &[
            "Location Lord Howe Island",
            "Organization Queen Mary University",
            "Organization Lady Bay Trust",
        ],
        &["Person"],
    ),
    (
        "Martin Oduya, Ph.D., of the Nairobi Institute, and Lucy Marsh, M.D., agreed. So did Prof. \
         Oduya.",
        &["Organization Nairobi Institute"],
        &["Ph", "M.D", "Prof"],
    ),
    (
        "Niamh O'Neill, who works at St. Brigid's College, knows Jean-Luc Moreau and Mr. Li Wei.",
        &["Niamh O'Neill affiliated_with St. Brigid's College", "Person Li Wei"],
        &["Mr", "Brigid's College affiliated_with"],
    ),
    (
        "Obituary. Dame Edith Crane, 91, co-founder of the Crane Trust, died on Thursday. Her \
         brother, Dr. Paul Crane, survives her.",
        &["Person Edith Crane", "Person Paul Crane", "Organization Crane Trust"],
        &["Dame", "Thursday", "Obituary", "Her"],
    ),
    (
        "Dear Prof. Ivanova, the Council of Elders has met. Yours, Anton Reuter",
        &["Organization Council of Elders"],
        &["Prof", "Ivanova", "Dear", "Yours"],
    ),
    (
        "The U.N. agency said Dr. S. K. Rao works at the World Health Organization. Dr. Rao declined.",
        &["S. K. Rao affiliated_with World Health Organization", "Person S. K. Rao"],
        &["Person Rao", "Dr", "Organization Health Organization"],
    ),
    (
        "Gov. Maria Teresa Lopez and Secretary Ann Lee visited the Lopez Foundation and Victoria.",
        &["Person Maria Teresa Lopez", "Person Ann Lee", "Organization Lopez Foundation"],
        &["Gov", "Secretary", "Foundation and"],
    ),
    (
        "Lumen Group vs. Tide Company: the case of Mr. Otto Brand Sr. against Otto Brand Jr. is closed.",
        &["Organization Lumen Group", "Organization Tide Company", "Person Otto Brand Sr."],
        &["vs", "Person Sr", "Person Jr"],
    ),
    (
        "Minutes: 1. Hanna Berg is a member of the Port Commission. 2. Ms. Kim is not.",
        &["Hanna Berg affiliated_with Port Commission"],
        &["Ms", "Kim", "Minutes"],
    ),
    (
        "Founded by Greta Olsen, the Olsen Cooperative is located in Bergen. Director Greta Olsen \
         works at the Olsen Cooperative.",
        &[
            "Olsen Cooperative located_in Bergen",
            "Greta Olsen affiliated_with Olsen Cooperative",
            "Person Greta Olsen",
        ],
        &["Director", "Founded by"],
    ),
];

#[test]
fn paragraphs_are_read_as_people_mean_them() {
    let mut wrong = Vec::new();
    for (text, wanted, unwanted) in STORIES {
        let told = told(text);
        for one in wanted.iter().filter(|one| !told.iter().any(|told| told == *one)) {
            wrong.push(format!("{one:?} is missing in {told:?} of {text:?}"));
        }
        for one in unwanted.iter().filter(|one| told.iter().any(|told| says(told, one))) {
            wrong.push(format!("{one:?} is in {told:?} of {text:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the entities with their types and the relations, each as one line.
fn told(text: &str) -> Vec<String> {
    let found = extract(text, None, &[], &[]);
    let entities =
        found.entities.iter().map(|one| format!("{} {}", one.entity_type.as_str(), one.name));
    let relations = found.relations.iter();
    let relations =
        relations.map(|one| format!("{} {} {}", one.subject, one.predicate, one.object));
    entities.chain(relations).collect()
}

/// Whether a line contains these words next to each other.
fn says(line: &str, words: &str) -> bool {
    let plain = |text: &str| format!(" {} ", text.replace(['.', ','], ""));
    plain(line).contains(&plain(words))
}
