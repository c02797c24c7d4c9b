/* The guide comes before the reference, and both before galleries, texts and measurements. A page that is about the words
   that are looked for names them in its `{index}`, which weighs more than all of this. */
const PLACES = [
  [/^(modelling|solving)\//, 40], [/^generated\/recipes$/, 30], [/^(start|trust|coming_from)\//, 20], [/^faq$/, 15],
  [/^generated\/reference\//, 0], [/^generated\//, -20], [/^(benchmarks|zh\/)/, -10],
];
var Scorer = {
  score: function (result) {
    const found = PLACES.find(([place]) => place.test(result[0]));
    return result[4] + (found ? found[1] : 0);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
