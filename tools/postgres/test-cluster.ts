import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { alone, holdersIn } from "./claim.ts";
import { type Cluster, findCluster, removeCluster, startCluster } from "./cluster.ts";
import { sendSignal } from "./process.ts";

/** `LANGO_TEST_POSTGRES` is a folder of its own for a run that must share no PostgreSQL with others. */
const path = resolve(
	import.meta.dirname,
	"../..",
	process.env["LANGO_TEST_POSTGRES"] || ".lango/test-postgres",
);
const holders = `${path}.holders`;

/**
 * Nothing in it outlives a test run, so it need not survive a power cut. Tests count what reaches it by
 * pg_stat_statements.
 */
const settings = {
	// Four workers have opened 128 at once.
	max_connections: "500",
	fsync: "off",
	synchronous_commit: "off",
	full_page_writes: "off",
	max_wal_size: "2GB",
	// Tests connect some thousand times. By default each connection derives its key by 4,096 rounds.
	scram_iterations: "1",
	// Most statements run a few times on a connection. By default each of the first five makes another plan.
	plan_cache_mode: "force_generic_plan",
	shared_preload_libraries: "pg_stat_statements",
	"pg_stat_statements.max": "20000",
	"pg_stat_statements.save": "off",
};

/**
 * The address of a PostgreSQL for tests, and how to let go of it: `DATABASE_URL` when that is set, else a
 * cluster of ours that is kept between runs. Runs at the same time share it; the last one to let go stops it.
 */
export async function holdTestCluster(
	given?: string,
): Promise<{ adminUrl: string; release: () => Promise<void> }> {
	if (given) return { adminUrl: given, release: async () => {} };
	const cluster = await alone(`${path}.lock`, async () => {
		const found = findCluster(path) ?? (await startAnew());
		holdersIn(holders);
		writeFileSync(join(holders, String(process.pid)), "");
		return found;
	});
	process.on("exit", () => {
		if (letGo().length === 0) sendSignal(cluster.pid, "SIGINT");
	});
	return { adminUrl: cluster.adminUrl, release: () => release(cluster) };
}

/** Data that a crash has spoilt is thrown away once: unlike the demo's, it is worth nothing. */
async function startAnew(): Promise<Cluster> {
	const options = { path, settings, signal: new AbortController().signal, outlivesUs: true };
	try {
		return await startCluster(options);
	} catch {
		await removeCluster(path);
		return await startCluster(options);
	}
}

async function release(cluster: Cluster): Promise<void> {
	await alone(`${path}.lock`, async () => {
		if (letGo().length === 0) await cluster.stop();
	});
}

/** Removes this process from the cluster's users; returns those that remain. */
function letGo(): number[] {
	rmSync(join(holders, String(process.pid)), { force: true });
	return holdersIn(holders);
}
