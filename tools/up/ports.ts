import { createServer } from "node:net";

/** A port to listen on: its user, and its setting. */
export type PortUse = { name: string; port: number; host: string; setting: string };

/**
 * Returns one sentence for each port that cannot be used. Called before anything heavy is started, so that a
 * port in use costs a second and not a minute.
 */
export async function listPortFaults(uses: readonly PortUse[]): Promise<string[]> {
	const twice = uses.flatMap((use, index) => {
		const earlier = uses.slice(0, index).find(({ port }) => port === use.port && port !== 0);
		return earlier
			? [`${earlier.setting} and ${use.setting} are both ${use.port}. Give them different ports.`]
			: [];
	});
	const taken: string[] = [];
	for (const use of uses) if (await isTaken(use)) taken.push(describeTaken(use));
	return [...twice, ...taken];
}

/** The message for a port that is in use. */
export const describeTaken = ({ name, port, setting }: PortUse) =>
	`Port ${port} is in use, and ${name} needs it. Stop what listens there, or set ${setting} to another port.`;

async function isTaken({ port, host }: PortUse): Promise<boolean> {
	const addresses = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
	for (const address of addresses) {
		const code = await tryToListen(port, address);
		if (code === "EADDRINUSE") return true;
		if (code === "EACCES")
			throw new Error(`Port ${port} may not be listened on by this user. Choose one above 1023.`);
	}
	return false;
}

/** Returns the error code, or `undefined` if listening works. A machine without IPv6 is not a fault. */
function tryToListen(port: number, host: string): Promise<string | undefined> {
	const server = createServer();
	return new Promise((done) => {
		server.once("error", ({ code }: NodeJS.ErrnoException) => done(code));
		server.listen({ port, host, exclusive: true }, () => server.close(() => done(undefined)));
	});
}
