import type { Database } from "@lango/postgres";
import { catalogueVersion, seedCatalogue } from "../src/catalogue/seed-catalogue.ts";

/** The platform's templates, for databases of tests: they are compiled once and copied from then on. */
export const catalogueRows = {
	version: catalogueVersion(),
	write: (db: Database) => seedCatalogue(db, new Date()),
};
