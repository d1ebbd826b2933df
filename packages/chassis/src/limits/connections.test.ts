import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { expect, test } from "vitest";
import { defaultConnectionLimits, limitConnections } from "./connections.ts";

/** A server without a network, because this machine has no two networks to connect from. */
function openServer() {
	const server = new EventEmitter();
	limitConnections(server as Server, { ...defaultConnectionLimits, connectionsPerAddressMax: 2 });
	return (remoteAddress: string) => {
		const socket = Object.assign(new EventEmitter(), { remoteAddress, isRefused: false, destroy: () => {} });
		socket.destroy = () => {
			socket.isRefused = true;
		};
		server.emit("connection", socket);
		return socket;
	};
}

test.each([
	["addresses of one IPv6 /64", ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::9"]],
	["an IPv4 address and itself written in IPv6", ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"]],
])("connections from %s are counted together, and a closed one is released", (_what, addresses) => {
	const connect = openServer();
	const sockets = addresses.map(connect);
	expect(sockets.map(({ isRefused }) => isRefused)).toEqual([false, false, true]);
	sockets[0]?.emit("close");
	expect(addresses.slice(1).map((address) => connect(address).isRefused)).toEqual([false, true]);
});

test("connections from another IPv6 /64 are counted separately", () => {
	const connect = openServer();
	for (const address of ["2001:db8::1", "2001:db8::2"]) connect(address);
	expect(connect("2001:db8:0:1::1").isRefused).toBe(false);
});
