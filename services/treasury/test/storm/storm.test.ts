import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { shortRounds } from "./faults.ts";
import { runStorm } from "./storm.ts";
import { openStorm } from "./storm-till.ts";
import { readMovements } from "./truth.ts";

const till = setUp(() => openStorm({ shops: 4 }));

test("under all faults of both gateways, while the process is killed, no money is lost or doubled, each change has its event (I22), and the books have what the gateways have, to the cent (I19)", async () => {
	const found = await runStorm(till, { bills: 160, rounds: shortRounds, kills: 2 });
	const { moved, unexplained, wrong, accounts, losses, bills, ends } = found;
	const kinds = (await readMovements(till.sandbox, () => true)).map(({ kind }) => kind);
	expect([...new Set(kinds)]).toEqual(
		expect.arrayContaining([
			...["push", "paybill", "till", "standing_order"],
			...["payout", "business", "reversal"],
		]),
	);
	const happened = Object.keys(ends).join();
	for (const kind of ["customer of several", "personal_till", "own_working"])
		expect(happened).toContain(`payout ${kind}`);
	for (const kind of [
		"card subscription",
		"paid at a page",
		"refund card processed",
		"dispute lost",
		"dispute won",
	])
		expect(happened).toContain(kind);
	for (const [kind, { lost, doubled }] of Object.entries(moved))
		expect({ kind, lost, doubled }).toEqual({ kind, lost: [], doubled: [] });
	expect(unexplained).toEqual([]);
	for (const [account, { ours, explained }] of Object.entries(losses))
		expect({ account, ours }).toEqual({ account, ours: explained });
	expect({ accounts, wrong }).toEqual({ accounts: {}, wrong: [] });
	expect(bills["processing"]).toBeUndefined();
}, 300_000);
