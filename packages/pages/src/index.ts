export { compressed } from "./compressed.ts";
export type { PagesOptions } from "./page.routes.ts";
export { preloaded } from "./preloaded.ts";
export { type RunningPages, startPages } from "./start-pages.ts";
