import { holdTestCluster } from "./test-cluster.ts";

/** Vitest's global set-up: every test process finds the PostgreSQL for tests in `TEST_DATABASE_URL`. */
export async function setup(): Promise<() => Promise<void>> {
	const { DATABASE_URL, TEST_DATABASE_URL } = process.env;
	if (TEST_DATABASE_URL) return async () => {};
	const { adminUrl, release } = await holdTestCluster(DATABASE_URL);
	process.env.TEST_DATABASE_URL = adminUrl;
	return release;
}
