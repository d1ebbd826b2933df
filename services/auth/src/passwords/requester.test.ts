import { createHashingQueue } from "@lango/passwords";
import { expect, test } from "vitest";
import { failures } from "../failures.ts";
import { requesterOf } from "./requester.ts";

const overShare = () => failures.too_many_sign_ins();
const busy = () => failures.sign_in_busy();
const shares = { max: { account: 4, address: 4, tenant: 4 }, overShare };
const refused = { code: "too_many_sign_ins" };

/** A queue in which sign-ins from many addresses use up whatever share they have in common. */
async function flooded(attackOf: (turn: number) => Parameters<typeof requesterOf>[0]) {
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 50, busy, shares });
	const gate = Promise.withResolvers<void>();
	const attempts = Array.from({ length: 20 }, (_, turn) =>
		queue.withShare(requesterOf(attackOf(turn)), () => gate.promise).catch((error: unknown) => error),
	);
	return {
		signIn: (who: Parameters<typeof requesterOf>[0]) => queue.withShare(requesterOf(who), async () => "done"),
		end: () => {
			gate.resolve();
			return Promise.all(attempts);
		},
	};
}

const addressOf = (turn: number) => `198.51.100.${turn}`;

test("sign-ins that name no tenant do not share a limit by the domain of their e-mail address", async () => {
	const { signIn, end } = await flooded((turn) => ({
		email: `stranger-${turn}@gmail.com`,
		ip: addressOf(turn),
		tenantSlug: "",
	}));
	expect(await signIn({ email: "asha@gmail.com", ip: "203.0.113.1", tenantSlug: "" })).toBe("done");
	expect(await end()).not.toContainEqual(expect.objectContaining(refused));
});

test("a flood at one account from one address refuses no other account of the domain at another address", async () => {
	const { signIn, end } = await flooded(() => ({ email: "juma@gmail.com", ip: "198.51.100.1" }));
	await expect(signIn({ email: "juma@gmail.com", ip: "203.0.113.1" })).rejects.toMatchObject(refused);
	expect(await signIn({ email: "asha@gmail.com", ip: "203.0.113.1" })).toBe("done");
	await end();
});

test("sign-ins that name one tenant share its limit, except those of known devices", async () => {
	const { signIn, end } = await flooded((turn) => ({
		email: `stranger-${turn}@gmail.com`,
		ip: addressOf(turn),
		tenantSlug: "uhai",
	}));
	const asha = { email: "asha@uhai.example", ip: "203.0.113.1", tenantSlug: "uhai" };
	await expect(signIn(asha)).rejects.toMatchObject(refused);
	expect(await signIn({ ...asha, device: "her laptop" })).toBe("done");
	expect(await signIn({ ...asha, tenantSlug: "kahawa" })).toBe("done");
	expect(await end()).toContainEqual(expect.objectContaining(refused));
});
