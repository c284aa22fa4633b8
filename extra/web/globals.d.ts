// What the page has beside its modules.
declare const uPlot: any;
