import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { shortRounds } from "./faults.ts";
import { runStorm } from "./storm.ts";
import { openStorm } from "./storm-till.ts";

const till = setUp(() => openStorm({ shops: 4 }));

test("under all faults of both gateways, while the process is killed, no money is lost or doubled, each change has its event (I22), and the books have what the gateways have, to the cent (I19)", async () => {
	const found = await runStorm(till, { bills: 160, rounds: shortRounds, kills: 2 });
	const { missing, moved, unexplained, wrong, accounts, losses, bills } = found;
	expect(missing).toEqual([]);
	for (const [kind, { lost, doubled }] of Object.entries(moved))
		expect({ kind, lost, doubled }).toEqual({ kind, lost: [], doubled: [] });
	expect(unexplained).toEqual([]);
	for (const [account, { ours, explained }] of Object.entries(losses))
		expect({ account, ours }).toEqual({ account, ours: explained });
	expect({ accounts, wrong }).toEqual({ accounts: {}, wrong: [] });
	expect(bills["processing"]).toBeUndefined();
}, 600_000);
