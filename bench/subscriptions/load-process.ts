/**
 * A process that sends requests, or calls the function without HTTP, with a fixed number in flight for a
 * given time.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { quantile } from "../figures.ts";
import { converse } from "../http-socket.ts";
import { consumeBySql, tenantIdOf } from "./installation.store.ts";

/** A load. `{tenant}` in the URL is replaced by each of the first `tenants` tenants in turn. */
export type Job = {
	kind: "get" | "consume" | "sql";
	/** The URL of requests, or of the database for calls of the function. */
	url: string;
	apiKey: string;
	tenants: number;
	connections: number;
	seconds: number;
	settleSeconds: number;
	/**
	 * Requests per second at equal intervals; without it each connection sends the next request after a
	 * response.
	 */
	perSecond?: number;
	/** Ends the run after this number of requests, if time does not end it before. */
	requests?: number;
};
/** The result of a run; `total` includes requests before the measurement. One wrong response ends the run. */
export type Outcome = { perSecond: number; p50: number; p99: number; total: number };

/** Schedules requests and records their durations. */
type Course = {
	/** Waits for the next request and returns when it was due; undefined at the end. */
	next(): Promise<number | undefined> | number | undefined;
	took(from: number): void;
};

let turn = 0;
const nextTenant = ({ tenants }: Job) => {
	turn += 1;
	return tenantIdOf(((turn * 617_371) % tenants) + 1);
};

async function drive(job: Job): Promise<Outcome> {
	const starts = performance.now() + job.settleSeconds * 1_000;
	const ends = starts + job.seconds * 1_000;
	const times: number[] = [];
	let total = 0;
	let begun = 0;
	const due = job.perSecond === undefined ? atOnce(ends) : evenly(job.perSecond, ends);
	const course: Course = {
		next: () => {
			begun += 1;
			return begun > (job.requests ?? Number.POSITIVE_INFINITY) ? undefined : due();
		},
		took: (from) => {
			const now = performance.now();
			total += 1;
			if (now >= starts) times.push(now - from);
		},
	};
	await (job.kind === "sql" ? call(job, course) : ask(job, course));
	const elapsed = (performance.now() - starts) / 1_000;
	if (times.length === 0) throw new Error(`no request ended within ${job.seconds} s`);
	return { perSecond: times.length / elapsed, p50: quantile(times, 0.5), p99: quantile(times, 0.99), total };
}

const atOnce = (ends: number) => () => {
	const now = performance.now();
	return now < ends ? now : undefined;
};

/**
 * The duration of a request that waits for a free connection starts when it was due; the delay of a late
 * timer of this process does not count.
 */
function evenly(perSecond: number, ends: number): Course["next"] {
	let due = performance.now();
	return async () => {
		due += 1_000 / perSecond;
		const from = due;
		if (from >= ends) return undefined;
		const early = from - performance.now();
		if (early <= 0) return from;
		await sleep(early);
		return performance.now();
	};
}

async function call(job: Job, { next, took }: Course): Promise<void> {
	const pool = new pg.Pool({ connectionString: job.url, max: job.connections });
	const work = async () => {
		for (let from = await next(); from !== undefined; from = await next()) {
			await consumeBySql(pool, nextTenant(job), randomUUID());
			took(from);
		}
	};
	await Promise.all(Array.from({ length: job.connections }, work));
	await pool.end();
}

async function ask(job: Job, { next, took }: Course): Promise<void> {
	const work = () => {
		let from = 0;
		let id = "";
		return converse(job.url, {
			next: async () => {
				const due = await next();
				if (due === undefined) return undefined;
				from = due;
				id = randomUUID();
				return requestOf(job, nextTenant(job), id);
			},
			answered: (status, body) => {
				if (status !== 200 || (job.kind === "consume" && !body.includes(id)))
					throw new Error(`${job.url} returned ${status}: ${body.slice(0, 300)}`);
				took(from);
			},
		});
	};
	await Promise.all(Array.from({ length: job.connections }, work));
}

function requestOf({ kind, url, apiKey }: Job, tenantId: string, id: string): Buffer {
	const { pathname, host } = new URL(url.replace("{tenant}", tenantId));
	const head = `${pathname} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${apiKey}\r\n`;
	if (kind === "get") return Buffer.from(`GET ${head}\r\n`);
	const body = JSON.stringify({ id, limit: "max_orders_per_day", metric: "order_count", value: 1 });
	return Buffer.from(
		`POST ${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
	);
}

process.on("message", async (job: Job) => {
	try {
		process.send?.({ result: await drive(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
