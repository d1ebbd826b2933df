export { compressed } from "./compressed.ts";
export { type PagesOptions, type RunningPages, startPages } from "./start-pages.ts";
