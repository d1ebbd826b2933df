import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findWrong, runStorm } from "./storm.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);

test("under all faults of both gateways no collection is lost or doubled, to the cent", async () => {
	const storm = await runStorm(till, { bills: 150 });
	expect(storm.differences).toEqual([]);
	expect(storm.collections).toBeGreaterThan(60);
	expect(storm.bills["processing"]).toBeUndefined();
	expect(await findWrong(till)).toEqual([]);
}, 240_000);
