import type { Server, Socket } from "node:net";

/** The open connections of a server, by the remote address and port. */
export type Sockets = {
	/** Ends the connection with a reset, RFC 9293 §3.5.2. */
	reset(session: { remoteAddress: string; remotePort: number }): void;
	closeAll(): void;
};

/** Follows the connections of a server from now on. */
export function followSockets(server: Server): Sockets {
	const sockets = new Map<string, Socket>();
	server.on("connection", (socket) => {
		const key = keyOf(socket.remoteAddress ?? "", socket.remotePort ?? 0);
		sockets.set(key, socket);
		socket.once("close", () => sockets.delete(key));
	});
	return {
		reset: ({ remoteAddress, remotePort }) =>
			sockets.get(keyOf(remoteAddress, remotePort))?.resetAndDestroy(),
		closeAll: () => {
			for (const socket of sockets.values()) socket.destroy();
		},
	};
}

/** An IPv4 address has two forms: its own, and inside IPv6 (RFC 4291 §2.5.5.2). */
const keyOf = (address: string, port: number) => `${address.replace(/^::ffff:/, "")} ${port}`;
