import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy whose connections can be cut and restored, to cause an outage of its target. */
export type BreakableLink = {
	port: number;
	cut(): void;
	/** Forwards nothing in either direction and keeps connections open, as a network that loses packets. */
	pause(): void;
	/** Ends a cut or a pause. Data received during a pause is forwarded. */
	restore(): void;
	close(): Promise<void>;
};

/** Forwards everything to `target`. A cut closes open connections and refuses new ones at once. */
export async function linkTo(target: { host: string; port: number }): Promise<BreakableLink> {
	const open = new Set<Socket>();
	let isCut = false;
	let isPaused = false;
	const server = createServer((near) => {
		if (isCut) return void near.destroy();
		const far = connect(target.port, target.host);
		for (const [socket, other] of [
			[near, far],
			[far, near],
		] as const) {
			open.add(socket);
			socket.on("error", () => socket.destroy());
			socket.on("close", () => {
				open.delete(socket);
				other.destroy();
			});
			socket.on("data", (data) => {
				if (!other.write(data)) socket.pause();
			});
			socket.on("end", () => other.end());
			other.on("drain", () => isPaused || socket.resume());
			if (isPaused) socket.pause();
		}
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		port: (server.address() as AddressInfo).port,
		cut() {
			isCut = true;
			for (const socket of open) socket.destroy();
		},
		pause() {
			isPaused = true;
			for (const socket of open) socket.pause();
		},
		restore() {
			isCut = false;
			isPaused = false;
			for (const socket of open) socket.resume();
		},
		async close() {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}
