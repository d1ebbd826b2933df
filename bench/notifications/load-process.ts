/**
 * A process that posts messages over keep-alive connections, each as soon as the one before is answered or,
 * with `perSecond`, at equal intervals. One wrong response ends the run.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../figures.ts";
import { converse } from "../http-socket.ts";
import { reportOf, type Webhook } from "./webhook.ts";

/** A caller of the service. */
export type Sender = { path: string; token: string };

export type Job = {
	url: string;
	/** Used in turn. */
	senders: readonly Sender[];
	/** The members of the body besides `to`. */
	message: Readonly<Record<string, unknown>>;
	/** Recipients of each request. */
	recipients: number;
	connections: number;
	seconds: number;
	settleSeconds: number;
	perSecond?: number;
	/** Ends the run after this number of requests, if time does not end it before. */
	requests?: number;
	/** Reports instead of messages: each is about the next delivery of `addSent`. */
	webhook?: Webhook;
	/** Addresses begin with `timed-`, and the result says when the request of each was sent. */
	isTimed?: boolean;
};
/** The result of a run; `total` includes requests before the measurement. */
export type Outcome = {
	perSecond: number;
	p50: number;
	p95: number;
	p99: number;
	total: number;
	/** When the request for each address was sent, in Unix milliseconds. Empty if the job is not timed. */
	sentAt: Readonly<Record<string, number>>;
};

let sent = 0;
let sentAt: Record<string, number> = {};

async function drive(job: Job): Promise<Outcome> {
	const starts = performance.now() + job.settleSeconds * 1_000;
	const ends = starts + job.seconds * 1_000;
	const times: number[] = [];
	sentAt = {};
	let total = 0;
	let begun = 0;
	const due = job.perSecond === undefined ? undefined : schedule(job.perSecond);
	const work = () => {
		let from = 0;
		return converse(job.url, {
			next: async () => {
				begun += 1;
				if (begun > (job.requests ?? Number.POSITIVE_INFINITY) || performance.now() >= ends) return undefined;
				await due?.();
				from = performance.now();
				return job.webhook === undefined ? requestOf(job) : reportTo(job.url, job.webhook);
			},
			answered(status, body) {
				if (status !== (job.webhook === undefined ? 202 : 200))
					throw new Error(`${job.url} returned ${status}: ${body.slice(0, 300)}`);
				const now = performance.now();
				total += 1;
				if (now >= starts) times.push(now - from);
			},
		});
	};
	await Promise.all(Array.from({ length: job.connections }, work));
	const elapsed = (performance.now() - starts) / 1_000;
	if (times.length === 0) throw new Error(`no request ended within ${job.seconds} s`);
	return {
		perSecond: times.length / elapsed,
		...{ p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) },
		...{ total, sentAt },
	};
}

/** Waits until the next request is due. */
function schedule(perSecond: number): () => Promise<void> {
	let due = performance.now();
	return async () => {
		due += 1_000 / perSecond;
		const early = due - performance.now();
		if (early > 0) await sleep(early);
	};
}

function requestOf({ url, senders, message, recipients, isTimed = false }: Job): Buffer {
	const { host } = new URL(url);
	const sender = senders[sent % senders.length];
	if (sender === undefined) throw new Error("the job has no senders");
	const to = Array.from({ length: recipients }, () => {
		sent += 1;
		const address = `${isTimed ? "timed" : "person"}-${process.pid}-${sent}@bench.example`;
		if (isTimed) sentAt[address] = Date.now();
		return address;
	});
	const body = JSON.stringify({ ...message, to });
	const head = `POST ${sender.path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${sender.token}\r\n`;
	return Buffer.from(
		`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
	);
}

let reported = 0;

function reportTo(url: string, webhook: Webhook): Buffer {
	const { path, body, signature } = reportOf(webhook, reported);
	reported += 1;
	const head = `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-hub-signature-256: ${signature}\r\n`;
	return Buffer.from(
		`${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
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
