export { type Cache, type CacheOptions, createCache, type Invalidatable } from "./cache.ts";
export type { Entry } from "./entries.ts";
