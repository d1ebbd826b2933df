import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP connection to somewhere that can be cut and mended: an outage of what is behind it. */
export type BreakableLink = {
	port: number;
	cut(): void;
	/**
	 * Lets nothing through any more, in either direction, and tells nobody so: what a network does that loses
	 * packets.
	 */
	hold(): void;
	mend(): void;
	close(): Promise<void>;
};

/**
 * Passes everything on to `target` until it is cut; while it is, open connections die and new ones are
 * refused at once. What is held back comes through when it is mended.
 */
export async function linkTo(target: { host: string; port: number }): Promise<BreakableLink> {
	const open = new Set<Socket>();
	let isCut = false;
	let isHeld = false;
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
			other.on("drain", () => isHeld || socket.resume());
			if (isHeld) socket.pause();
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
		hold() {
			isHeld = true;
			for (const socket of open) socket.pause();
		},
		mend() {
			isCut = false;
			isHeld = false;
			for (const socket of open) socket.resume();
		},
		async close() {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}
