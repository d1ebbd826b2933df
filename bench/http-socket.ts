import { connect, type Socket } from "node:net";

/** What one connection asks, and what is done with each answer. */
export type Conversation = {
	/** The bytes of the next request; undefined: it is enough. */
	next: () => Promise<Buffer | undefined> | Buffer | undefined;
	/** Told of each answer's status and body as it comes. What it throws ends the conversation. */
	answered: (status: number, body: string) => void;
};

const silenceMs = 30_000;
const lengthLine = /\r\ncontent-length: (\d+)\r\n/i;

/**
 * Asks over one connection that stays open until it is enough. It speaks HTTP by itself and reads of an answer only its status,
 * its length and its body, so it takes a fraction of what a server does. Rejects when the connection fails or is silent for
 * 30 s, and when an answer has no length.
 */
export async function converse(url: string, { next, answered }: Conversation): Promise<void> {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname);
	socket.setNoDelay(true);
	const ask = asker(socket);
	try {
		for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
			const answer = await ask(bytes);
			answered(Number(answer.slice(9, 12)), answer.slice(answer.indexOf("\r\n\r\n") + 4));
		}
	} finally {
		socket.destroy();
	}
}

/** Sends a request on the socket and resolves with the whole answer, one at a time. */
function asker(socket: Socket): (bytes: Buffer) => Promise<string> {
	let received = "";
	let wanted: { resolve: (answer: string) => void; reject: (error: Error) => void } | undefined;
	let failed: Error | undefined;
	const fail = (error: Error) => {
		failed ??= error;
		wanted?.reject(error);
	};
	socket.setTimeout(silenceMs, () => fail(new Error(`no answer within ${silenceMs} ms`)));
	socket.on("error", fail);
	socket.on("close", () => fail(new Error("the server closed the connection")));
	socket.on("data", (chunk) => {
		received += chunk.toString("latin1");
		const head = received.indexOf("\r\n\r\n");
		if (head < 0) return;
		const length = lengthLine.exec(received.slice(0, head + 2))?.[1];
		if (length === undefined)
			return fail(new Error(`an answer without its length: ${received.slice(0, head)}`));
		if (received.length < head + 4 + Number(length)) return;
		const answer = received;
		received = "";
		wanted?.resolve(answer);
	});
	return (bytes) =>
		new Promise((resolve, reject) => {
			if (failed !== undefined) return reject(failed);
			wanted = { resolve, reject };
			socket.write(bytes);
		});
}
