import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/** Two tables for the tests of this package, one with a tenant and one without. */
export const notes: MigrationSet = { name: "notes", folder: join(import.meta.dirname, "notes") };

export const uhai = "0197a000-0000-7000-8000-00000000000a";
export const kahawa = "0197a000-0000-7000-8000-00000000000b";
