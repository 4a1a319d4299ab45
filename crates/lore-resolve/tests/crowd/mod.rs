//! Others, among whom a name is asked for.

use lore_resolve::Resolver;

/// Bystanders, so that a name has to be told from others.
pub(crate) fn crowd(type_name: &str) -> Resolver<u32> {
    let mut known = Resolver::new();
    let given =
        ["Ada", "Boris", "Chidi", "Dora", "Emil", "Farah", "Gustav", "Hana", "Igor", "June"];
    let family = ["Abbott", "Okafor", "Lindqvist", "Moreau", "Santos", "Tanaka", "Weiss", "Novak"];
    let things =
        ["Salmon Survey", "Kelp Restoration", "Harbour Patrol", "Seed Library", "Tide Atlas"];
    for (number, (one, two)) in
        given.iter().flat_map(|one| family.iter().map(move |two| (one, two))).enumerate()
    {
        let number = u32::try_from(number).unwrap();
        let name = match type_name {
            "Person" => format!("{one} {two}"),
            _ => format!("{two} {} {}", things[number as usize % things.len()], number / 10),
        };
        known.insert(1000 + number, type_name, &name, &[]);
    }
    known
}
