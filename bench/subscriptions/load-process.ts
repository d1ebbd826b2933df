/** A process that sends requests, or calls the function without HTTP: so many at a time, for so many seconds. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { quantile } from "../figures.ts";
import { ask } from "../sign-on/http.ts";
import { consumeBySql, tenantIdOf } from "./installation.store.ts";

/** What is driven. `{tenant}` in the address stands for one of the first `tenants` tenants, another each time. */
export type Job = {
	kind: "get" | "consume" | "sql";
	/** The address, or the database's when the function is called. */
	url: string;
	apiKey: string;
	tenants: number;
	connections: number;
	seconds: number;
	settleSeconds: number;
};
/** What was achieved. One wrong answer ends the run, so there are no errors to count. */
export type Outcome = { perSecond: number; p50: number; p99: number; total: number };

let turn = 0;

async function drive(job: Job): Promise<Outcome> {
	const pool = new pg.Pool({ connectionString: job.url, max: job.kind === "sql" ? job.connections : 1 });
	const starts = performance.now() + job.settleSeconds * 1_000;
	const ends = starts + job.seconds * 1_000;
	const times: number[] = [];
	let total = 0;
	const work = async () => {
		for (let from = performance.now(); from < ends; ) {
			turn += 1;
			const tenantId = tenantIdOf(((turn * 617_371) % job.tenants) + 1);
			await once(job, tenantId, pool);
			const now = performance.now();
			total += 1;
			if (now >= starts) times.push(now - from);
			from = now;
		}
	};
	await Promise.all(Array.from({ length: job.connections }, work));
	const elapsed = (performance.now() - starts) / 1_000;
	await pool.end();
	if (times.length === 0) throw new Error(`nothing ended within ${job.seconds} s`);
	return { perSecond: times.length / elapsed, p50: quantile(times, 0.5), p99: quantile(times, 0.99), total };
}

async function once({ kind, url, apiKey }: Job, tenantId: string, pool: pg.Pool): Promise<void> {
	const id = randomUUID();
	if (kind === "sql") return consumeBySql(pool, tenantId, id);
	const address = url.replace("{tenant}", tenantId);
	const headers = { "x-api-key": apiKey };
	const body = JSON.stringify({ id, limit: "max_orders_per_day", metric: "order_count", value: 1 });
	const { status, text } =
		kind === "get"
			? await ask({ url: address, headers })
			: await ask({
					url: address,
					method: "POST",
					headers: { ...headers, "content-type": "application/json" },
					body,
				});
	if (status !== 200) throw new Error(`${address} answered ${status}: ${text.slice(0, 300)}`);
}

process.on("message", async (job: Job) => {
	try {
		process.send?.({ result: await drive(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
