import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openStorm, runStorm } from "./storm.ts";
import { findWrong } from "./storm-truth.ts";

const till = setUp(openStorm);

test("under all faults of both gateways no collection is lost or doubled, to the cent, and each change has its event (I22)", async () => {
	const storm = await runStorm(till, { bills: 150 });
	expect({ lost: storm.lost, doubled: storm.doubled }).toEqual({ lost: [], doubled: [] });
	expect(storm.receivedMinor).toBe(storm.collectedMinor);
	expect(storm.collections).toBeGreaterThan(60);
	expect(storm.bills["processing"]).toBeUndefined();
	expect(await findWrong(till)).toEqual([]);
}, 240_000);
