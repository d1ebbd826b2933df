import fc from "fast-check";
import { expect, test } from "vitest";
import { createHashingQueue } from "./hashing-queue.ts";
import { createShares } from "./shares.ts";

const busy = () => new Error("busy");
const overShare = () => new Error("over share");
const shares = { max: { account: 2, address: 3, tenant: 4 }, overShare };
const from = (account: string, address: string, tenant: string) => ({ account, address, tenant });

test.each([
	["account", 2, (n: number) => from("a", `address-${n}`, `tenant-${n}`)],
	["address", 3, (n: number) => from(`account-${n}`, "1", `tenant-${n}`)],
	["tenant", 4, (n: number) => from(`account-${n}`, `address-${n}`, "t")],
])(
	"one %s has at most %i hashes in flight, and can hash again when they are done",
	async (_kind, max, of) => {
		const queue = await createHashingQueue({ atOnce: 1, waitingMax: 50, busy, shares });
		const results = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => queue.hash("x", of(n))));
		expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(max);
		for (const one of results)
			if (one.status === "rejected") expect(one.reason).toEqual(new Error("over share"));
		await expect(queue.hash("x", of(9))).resolves.toContain("$argon2id$");
	},
);

test("waiting hashes of different addresses run in rotation", async () => {
	const max = { account: 50, address: 50, tenant: 50 };
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 50, busy, shares: { max, overShare } });
	const done: string[] = [];
	const hash = async (address: string) => {
		await queue.hash("x", from("a", address, "t"));
		done.push(address);
	};
	await Promise.all([...Array.from({ length: 10 }, () => hash("loud")), hash("quiet"), hash("other")]);
	expect(done.indexOf("quiet")).toBeLessThanOrEqual(3);
	expect(done.indexOf("other")).toBeLessThanOrEqual(4);
});

test("a full queue does not use up a share", async () => {
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 0, busy, shares });
	const first = queue.hash("x");
	for (let n = 0; n < 5; n += 1) await expect(queue.hash("x", from("a", "1", "t"))).rejects.toThrow("busy");
	await first;
	await expect(queue.hash("x", from("a", "1", "t"))).resolves.toContain("$argon2id$");
});

test("no sequence of takes and releases exceeds a share or leaves one behind", () => {
	const key = fc.constantFrom("1", "2");
	const step = fc.oneof(fc.record({ account: key, address: key, tenant: key }), fc.nat(20));
	fc.assert(
		fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
			const { take } = createShares(shares.max);
			const taken: Array<{ requester: ReturnType<typeof from>; release: () => void }> = [];
			const countOf = (kind: keyof typeof shares.max, name: string) =>
				taken.filter(({ requester }) => requester[kind] === name).length;
			for (const one of steps) {
				if (typeof one === "number") {
					taken.splice(one, 1)[0]?.release();
					continue;
				}
				const hasRoom = (["account", "address", "tenant"] as const).every(
					(kind) => countOf(kind, one[kind]) < shares.max[kind],
				);
				const release = take(one);
				expect(release !== false).toBe(hasRoom);
				if (release !== false) taken.push({ requester: one, release });
			}
		}),
	);
});
