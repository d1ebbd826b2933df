import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Linux gives ports from 32768 to outgoing connections and to servers that listen on port 0. */
const lowest = 12_000;
const highest = 32_000;
const attemptsMax = 50;

/**
 * Returns a TCP port of 127.0.0.1 and ::1 that is free. It is drawn at random from ports that the system does
 * not assign by itself, so that it stays free until the program that gets it listens, also while other tests
 * run. Throws an Error if many ports in a row are in use.
 */
export async function findFreePort(): Promise<number> {
	const [port] = await findFreePorts(1);
	return port as number;
}

/** Returns `count` different free ports, see `findFreePort`. */
export async function findFreePorts(count: number): Promise<number[]> {
	const found = new Set<number>();
	for (let attempt = 0; found.size < count; attempt += 1) {
		if (attempt === count + attemptsMax)
			throw new Error(`no ${count} free ports from ${lowest} to ${highest}`);
		const port = randomInt(lowest, highest);
		if ((await canListen(port, "127.0.0.1")) && (await canListen(port, "::1"))) found.add(port);
	}
	return [...found];
}

/** Without IPv6 every port of ::1 counts as free. */
function canListen(port: number, host: string): Promise<boolean> {
	const server = createServer();
	return new Promise((resolve) => {
		server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "EADDRINUSE"));
		server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
	});
}
