/**
 * A process that repeats one request over keep-alive connections. Its own HTTP client sends the same bytes
 * each time and checks each response as it arrives, so it uses a fraction of a server's processor time.
 */
import { connect, type Socket } from "node:net";
import { quantile } from "../figures.ts";

export type Job = {
	url: string;
	/** The token of each request. If there are several, they are used in turn. */
	tokens: readonly string[];
	/** The body that every response must have. */
	body: string;
	connections: number;
	seconds: number;
	settleSeconds: number;
	/** Ends the run after this number of requests, if time does not end it before. */
	requests?: number;
};
/** The result of a run; `total` includes requests before the measurement. One wrong response ends the run. */
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
	if (times.length === 0) throw new Error(`no request ended within ${seconds} s`);
	return { perSecond: times.length / elapsed, p50: quantile(times, 0.5), p99: quantile(times, 0.99), total };
}

type Conversation = {
	next: () => Buffer;
	/** Receives each correct response with the time of its request. Returns whether to send another request. */
	answered: (from: number) => boolean;
	body: string;
};

/** Sends requests over one connection until the run ends. Rejects at the first wrong response. */
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
