import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listPortFaults } from "./ports.ts";

let server: Server | undefined;
afterEach(() => server?.close());

function listen(host: string): Promise<number> {
	const listening = createServer();
	server = listening;
	return new Promise((done) => {
		listening.listen(0, host, () => {
			const address = listening.address();
			done(typeof address === "object" && address !== null ? address.port : 0);
		});
	});
}

test("a port in use on the loopback is named with its setting", async () => {
	const port = await listen("127.0.0.1");
	const faults = await listPortFaults([{ name: "auth", port, host: "localhost", setting: "AUTH_PORT" }]);
	expect(faults).toEqual([
		`Port ${port} is in use, and auth needs it. Stop what listens there, or set AUTH_PORT to another port.`,
	]);
});

test("a port in use on every address is in use on the loopback", async () => {
	const port = await listen("0.0.0.0");
	expect(
		await listPortFaults([{ name: "auth", port, host: "localhost", setting: "AUTH_PORT" }]),
	).toHaveLength(1);
});

test("a port used twice is named with both settings, and a free one is not a fault", async () => {
	const port = await listen("127.0.0.1");
	await new Promise((done) => server?.close(done));
	const use = { name: "auth", port, host: "localhost", setting: "AUTH_PORT" };
	expect(await listPortFaults([use])).toEqual([]);
	expect(await listPortFaults([use, { ...use, setting: "HOSPITAL_PORT" }])).toEqual([
		`AUTH_PORT and HOSPITAL_PORT are both ${port}. Give them different ports.`,
	]);
});
