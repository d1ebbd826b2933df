/**
 * A mail server that accepts every mail after `ANSWER_MS` milliseconds and keeps none: by SMTP, and on the
 * next port by the API of Postmark. Its parent can ask how many came, and when mails to `timed-…` came.
 */
import { randomUUID } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const { PORT, ANSWER_MS = "0" } = process.env;
let count = 0;
let arrivals: Array<{ to: string; at: number }> = [];
const fixed: Readonly<Record<string, string>> = {
	...{ EHLO: "250 sink", HELO: "250 sink", MAIL: "250 ok", RCPT: "250 ok", DATA: "354 go on" },
	...{ RSET: "250 ok", NOOP: "250 ok" },
};

async function take(to: string): Promise<void> {
	const at = Date.now();
	await sleep(Number(ANSWER_MS));
	count += 1;
	if (to.startsWith("timed-")) arrivals.push({ to, at });
}

/** Speaks SMTP without extensions: one mail after the other on a connection. */
function converse(socket: Socket): void {
	let received = "";
	let to = "";
	let isReadingMail = false;
	const respond = (line: string) => {
		const command = line.slice(0, 4).toUpperCase();
		if (command === "QUIT") return socket.end("221 bye\r\n");
		if (command === "RCPT") to = /<([^>]*)>/.exec(line)?.[1] ?? "";
		isReadingMail = command === "DATA";
		return socket.write(`${fixed[command] ?? "500 unknown"}\r\n`);
	};
	socket.on("data", (chunk) => {
		received += chunk.toString("latin1");
		for (;;) {
			const ending = isReadingMail ? "\r\n.\r\n" : "\r\n";
			const at = received.indexOf(ending);
			if (at < 0) return;
			const part = received.slice(0, at);
			received = received.slice(at + ending.length);
			if (!isReadingMail) respond(part);
			else {
				isReadingMail = false;
				void take(to).then(() => socket.write("250 taken\r\n"));
			}
		}
	});
	socket.write("220 sink\r\n");
}

const server = createServer((socket) => {
	socket.setNoDelay(true);
	socket.on("error", () => socket.destroy());
	converse(socket);
});
server.listen(Number(PORT));
createHttpServer((request, response) => {
	let received = "";
	request.setEncoding("utf8").on("data", (chunk: string) => {
		received += chunk;
	});
	request.on("end", () => {
		const { To = "" } = (received === "" ? {} : JSON.parse(received)) as { To?: string };
		const answer = { ErrorCode: 0, Message: "OK", MessageID: randomUUID(), To };
		void take(To).then(() =>
			response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer)),
		);
	});
}).listen(Number(PORT) + 1);
process.on("message", () => {
	process.send?.({ count, arrivals });
	arrivals = [];
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
