import { Agent, get } from "node:http";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openShop } from "./shop.ts";

const shop = setUp(openShop);

test("a request in progress is finished before the service stops, and further ones are refused", async () => {
	const running = await shop.start();
	const [answer] = [fetch(`${running.url}/slow`), await running.arrived()];
	let isStopped = false;
	const stopping = running.close().then(() => {
		isStopped = true;
	});
	await expect
		.poll(() =>
			fetch(`${running.url}/healthz`).then(
				() => "taken",
				() => "refused",
			),
		)
		.toBe("refused");
	expect(isStopped).toBe(false);
	const opened = Date.now();
	running.open();
	expect(await (await answer).json()).toEqual({ answered: true });
	await stopping;
	expect(Date.now() - opened).toBeLessThan(3_000);
});

test("an idle connection does not delay the stop", async () => {
	const running = await shop.start();
	await (await fetch(`${running.url}/healthz`)).text();
	const begun = Date.now();
	await running.close();
	expect(Date.now() - begun).toBeLessThan(3_000);
});

type Answered = { status: number | undefined; connection: string | undefined; body: string };

/** Asks by a connection that would be kept. */
const ask = (url: string, agent: Agent) =>
	new Promise<Answered>((resolve, reject) => {
		const asking = get(url, { agent }, async (answer) => {
			const { statusCode: status, headers } = answer;
			const body = (await answer.toArray()).join("");
			resolve({ status, connection: headers.connection, body });
		});
		asking.on("error", reject);
	});

test("before a service stops it is not ready, still serves requests, and closes each connection", async () => {
	const running = await shop.start();
	const agent = new Agent({ keepAlive: true });
	expect(await ask(`${running.url}/healthz`, agent)).toMatchObject({ status: 200, connection: "keep-alive" });
	const left = running.leave();
	const ready = await ask(`${running.url}/readyz`, agent);
	expect(ready).toMatchObject({ status: 503, connection: "close" });
	expect(JSON.parse(ready.body)).toMatchObject({ checks: { stopping: "unavailable", database: "ok" } });
	expect(await ask(`${running.url}/healthz`, agent)).toMatchObject({ status: 200, connection: "close" });
	await left;
	expect(await ask(`${running.url}/healthz`, agent)).toMatchObject({ status: 200, connection: "close" });
	await running.close();
	await expect(ask(`${running.url}/healthz`, agent)).rejects.toMatchObject({ code: "ECONNREFUSED" });
	agent.destroy();
});
