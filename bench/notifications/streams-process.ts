/**
 * A process with many open streams of inboxes. Its parent asks it to open them, and later which items came on
 * them and when. A response other than 200, or the end of a stream, ends the process.
 */
import { connect, type Socket } from "node:net";

export type Opening = { url: string; path: string; tokens: readonly string[]; each: number };
/** The times at which items came, in Unix milliseconds, by the id of the item: one for each stream. */
export type Arrivals = Readonly<Record<string, readonly number[]>>;

const openingAtOnce = 20;
let arrivals: Record<string, number[]> = {};
const itemId = /id: \d+\.([0-9a-f-]{36})\nevent: item/g;

function noteItems(text: string): void {
	const at = Date.now();
	for (const [, id = ""] of text.matchAll(itemId)) arrivals[id] = [...(arrivals[id] ?? []), at];
}

/** Opens a stream. Resolves when it has begun. */
function open({ url, path }: Opening, token: string): Promise<Socket> {
	const { hostname, port, host } = new URL(url);
	const socket = connect(Number(port), hostname);
	const { promise, resolve, reject } = Promise.withResolvers<Socket>();
	let received = "";
	let hasBegun = false;
	const begin = () => {
		hasBegun = received.startsWith("HTTP/1.1 200");
		if (hasBegun) resolve(socket);
	};
	socket.on("data", (chunk) => {
		received += chunk.toString("latin1");
		if (!hasBegun && received.includes("event: count")) begin();
		const end = received.lastIndexOf("\n\n") + 1;
		noteItems(received.slice(0, end));
		if (hasBegun) received = received.slice(end);
	});
	socket.on("error", reject);
	socket.on("close", () => {
		if (!hasBegun) return reject(new Error(`a stream was refused: ${received.slice(0, 300)}`));
		console.error("a stream has ended");
		process.exit(1);
	});
	const head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n`;
	socket.write(`${head}connection: close\r\nauthorization: Bearer ${token}\r\n\r\n`);
	return promise;
}

async function openAll(opening: Opening): Promise<number> {
	const waiting = opening.tokens.flatMap((token) => Array.from({ length: opening.each }, () => token));
	const count = waiting.length;
	const work = async () => {
		for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) await open(opening, token);
	};
	await Promise.all(Array.from({ length: openingAtOnce }, work));
	return count;
}

process.on("message", async (opening: Partial<Opening>) => {
	if (opening.url === undefined) {
		process.send?.({ result: arrivals });
		arrivals = {};
		return;
	}
	try {
		process.send?.({ result: await openAll(opening as Opening) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
