import { connect, type Socket } from "node:net";

/** The requests of one connection, and the consumer of its responses. */
export type Conversation = {
	/** The bytes of the next request; undefined at the end. */
	next: () => Promise<Buffer | undefined> | Buffer | undefined;
	/** Receives the status and the body of each response. An error that it throws ends the connection. */
	answered: (status: number, body: string) => void;
};

const silenceMs = 30_000;
const lengthLine = /\r\ncontent-length: (\d+)\r\n/i;

/**
 * Sends requests over one keep-alive connection. Parses only the status, the length and the body of a
 * response, so it uses a fraction of a server's processor time. Rejects if the connection fails or is silent
 * for 30 s, and if a response has no length.
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

/** Sends one request at a time and resolves with its whole response. */
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
