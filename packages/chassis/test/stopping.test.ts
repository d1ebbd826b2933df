import { afterAll, beforeAll, expect, test } from "vitest";
import { openShop, type Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
	shop = await openShop();
});
afterAll(() => shop.close());

test("a request under way is finished before the service stops, and none is taken after", async () => {
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

test("an idle connection does not hold the service up", async () => {
	const running = await shop.start();
	await (await fetch(`${running.url}/healthz`)).text();
	const begun = Date.now();
	await running.close();
	expect(Date.now() - begun).toBeLessThan(3_000);
});
