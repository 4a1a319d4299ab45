//! Similarity of meaning: the cosine of vectors in which a text's neighbours count as well.

use std::sync::Arc;

use lore_text::table;

use crate::column::{Column, Slot};
use crate::rank::candidates::widening;
use crate::rank::question::Question;
use crate::vectors::{SIGN_WORDS, Small, Wide};
use crate::view::View;
use crate::view::field::Field;

/// How similar a document is to the question.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Likeness {
    /// The similarity above the average of the store.
    pub(super) above: f32,
    /// Whether it is a reason to show the document.
    pub(super) closeness: Closeness,
}

/// What a similarity is worth as a reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Closeness {
    /// No reason.
    #[default]
    Far,
    /// A reason only if a word of the question occurs in the store at all.
    Near,
    /// A reason by itself.
    Clear,
}

/// Cached products of a query with vectors.
#[derive(Debug, Default)]
pub(crate) struct Products {
    made: Column<Option<f32>>,
    list: Vec<Slot>,
}

/// A query in the vector field of one model.
pub(super) struct Probe<'a> {
    field: &'a Field,
    vector: &'a Small,
    wide: Wide,
    mean: f32,
    model: Model,
}

/// The model that vectors come from.
#[derive(Clone, Copy)]
pub(super) enum Model {
    /// The compiled-in table.
    Table,
    /// The same for a question of whose words it knows none. Their meaning is only guessed from
    /// their spelling, and may be like anything.
    Guess,
    /// An external model, about which nothing is known.
    Outside,
}

impl Model {
    /// What a similarity is worth. A lower certainty requires a higher similarity.
    pub(super) fn closeness(self, likeness: f32, above: f32, certainty: f32) -> Closeness {
        let near = 0.5 - 0.2 * certainty;
        match self {
            Self::Table if likeness >= near.max(0.45) => Closeness::Clear,
            Self::Table | Self::Guess if likeness >= near => Closeness::Near,
            Self::Outside if above >= 0.1 => Closeness::Clear,
            Self::Table | Self::Guess | Self::Outside => Closeness::Far,
        }
    }

    /// How certain the direction of a vector is. A sum over few words may point anywhere; a message
    /// of a conversation is steadied by its neighbours.
    pub(super) fn certainty(self, view: &View, slot: Slot) -> f32 {
        const HALF_SURE: f32 = 30.0;
        match self {
            Self::Table | Self::Guess if !view.is_log(slot) => {
                let words = view.span(slot);
                words / (words + HALF_SURE)
            }
            _ => 1.0,
        }
    }
}

/// The probes of a question: one for the external model, if the view has vectors of it, and one for
/// the built-in table.
pub(super) fn probes<'a>(view: &'a View, question: &'a Question) -> Vec<Probe<'a>> {
    let external = question.external.as_ref().and_then(|(model, vector)| {
        let field = view.meanings.external.get(&(Arc::clone(model), vector.values.len()))?;
        Some(Probe::new(field, vector, Model::Outside))
    });
    let is_known = question.stems.iter().any(|stem| table::is_word(stem));
    let model = if is_known { Model::Table } else { Model::Guess };
    let own = Probe::new(&view.meanings.own, &question.meaning, model);
    external.into_iter().chain([own]).filter(Probe::says_something).collect()
}

impl<'a> Probe<'a> {
    fn new(field: &'a Field, vector: &'a Small, model: Model) -> Self {
        Self { field, vector, wide: vector.wide(), mean: field.mean_likeness(vector), model }
    }

    /// Whether its vectors are always up to date. Those of the built-in table follow the frequency
    /// of words only gradually.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self.model, Model::Outside)
    }

    fn says_something(&self) -> bool {
        !self.vector.is_zero() && self.vector.values.len() == self.field.dimensions()
    }

    /// The similarity of a document, if it has a vector in this field.
    pub(super) fn likeness(
        &self,
        view: &View,
        slot: Slot,
        products: &mut Products,
    ) -> Option<Likeness> {
        let norm = self.field.norm(slot);
        if !self.field.has(slot) || norm <= 0.0 {
            return None;
        }
        let mut sum = products.of(self, slot);
        view.context(slot, |influence, other| sum += influence.vector * products.of(self, other));
        let likeness = sum / norm;
        let above = likeness - self.mean;
        let certainty = self.model.certainty(view, slot);
        let closeness = self.model.closeness(likeness, above, certainty);
        Some(Likeness { above: above * certainty, closeness })
    }

    /// The documents whose sign bits differ least from the query's: about `count`, if there are
    /// that many, and all that are equal to the last of them.
    pub(super) fn most_alike(&self, count: usize, admits: impl Fn(Slot) -> bool) -> Vec<Slot> {
        let distances = self.field.distances(self.vector);
        let numbered = || (0..).map(Slot).zip(distances.iter().copied().map(usize::from));
        let mut histogram = vec![0_usize; SIGN_WORDS * 64 + 1];
        for (_, distance) in numbered() {
            if let Some(number) = histogram.get_mut(distance) {
                *number += 1;
            }
        }
        widening(count, distances.len(), |wanted| {
            let mut so_far = 0;
            let farthest = histogram.iter().position(|number| {
                so_far += number;
                so_far >= wanted
            });
            let farthest = farthest.unwrap_or(histogram.len());
            let near = numbered().filter(|(_, distance)| *distance <= farthest);
            let near = near.map(|(slot, _)| slot);
            near.filter(|slot| self.field.has(*slot) && admits(*slot)).collect()
        })
    }
}

impl Products {
    fn of(&mut self, probe: &Probe<'_>, slot: Slot) -> f32 {
        let Some(made) = self.made.place(slot) else { return 0.0 };
        if let Some(product) = *made {
            return product;
        }
        let product = probe.field.product(slot, &probe.wide);
        *made = Some(product);
        self.list.push(slot);
        product
    }

    /// Makes room for all documents of a view.
    pub(super) fn reach(&mut self, view: &View) {
        self.made.reach(view.capacity());
    }

    /// Clears the cache; needed before using another probe.
    pub(super) fn clear(&mut self) {
        self.list.drain(..).for_each(|slot| self.made.set(slot, None));
    }
}
