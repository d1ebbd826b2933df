/**
 * A process that asks one address again and again over connections that stay open. It speaks HTTP by itself: the request is
 * the same bytes each time and the answer is looked at as it comes, so it takes a fraction of what a server does.
 */
import { connect, type Socket } from "node:net";
import { quantile } from "../figures.ts";

export type Job = {
	url: string;
	/** Sent with every request. More than one: a different one each time, in turn. */
	tokens: readonly string[];
	/** What every answer must be. */
	body: string;
	connections: number;
	seconds: number;
	settleSeconds: number;
	/** It ends after so many, if not before. */
	requests?: number;
};
/** What was achieved; `total` counts also what ended before anything was counted. One wrong answer ends the run. */
export type Outcome = { perSecond: number; p50: number; p99: number; total: number };

const silenceMs = 30_000;

async function drive(job: Job): Promise<Outcome> {
	const { url, tokens, body, connections, seconds, settleSeconds, requests: most = Infinity } = job;
	const { hostname, port, pathname, host } = new URL(url);
	const requests = tokens.map((token) =>
		Buffer.from(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`),
	);
	const starts = performance.now() + settleSeconds * 1_000;
	const ends = starts + seconds * 1_000;
	const times: number[] = [];
	let total = 0;
	const next = () => requests[total % requests.length] ?? Buffer.alloc(0);
	const answered = (from: number): boolean => {
		const now = performance.now();
		total += 1;
		if (now >= starts) times.push(now - from);
		return now < ends && total < most;
	};
	const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname));
	await Promise.all(sockets.map((socket) => converse(socket, { next, answered, body })));
	const elapsed = (performance.now() - starts) / 1_000;
	if (times.length === 0) throw new Error(`nothing ended within ${seconds} s`);
	return { perSecond: times.length / elapsed, p50: quantile(times, 0.5), p99: quantile(times, 0.99), total };
}

type Conversation = {
	next: () => Buffer;
	/** Told of each right answer and when it was asked for; whether to ask again. */
	answered: (from: number) => boolean;
	body: string;
};

/** Asks over one connection until it is enough. Rejects at the first answer that is not the right one. */
function converse(socket: Socket, { next, answered, body }: Conversation): Promise<void> {
	return new Promise((resolve, reject) => {
		const end = `\r\n\r\n${body}`;
		let from = 0;
		let received = "";
		const ask = () => {
			from = performance.now();
			socket.write(next());
		};
		const fail = (error: Error) => {
			socket.destroy();
			reject(error);
		};
		socket.setNoDelay(true);
		socket.setTimeout(silenceMs, () => fail(new Error(`no answer within ${silenceMs} ms`)));
		socket.on("error", fail);
		socket.on("close", () => reject(new Error("the server closed the connection")));
		socket.on("connect", ask);
		socket.on("data", (chunk) => {
			received += chunk.toString("latin1");
			if (!received.endsWith(end)) {
				if (received.length > 12 && !received.startsWith("HTTP/1.1 200 "))
					fail(new Error(`answered ${received.slice(0, 300)}`));
				return;
			}
			received = "";
			if (answered(from)) return ask();
			socket.destroy();
			resolve();
		});
	});
}

process.on("message", async (job: Job) => {
	try {
		process.send?.({ result: await drive(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
