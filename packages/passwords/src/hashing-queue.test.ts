import fc from "fast-check";
import { expect, test } from "vitest";
import { createHashingQueue, type HashingQueue } from "./hashing-queue.ts";
import { createShares, type HashingRequester } from "./shares.ts";

const busy = () => new Error("busy");
const overShare = () => new Error("over share");
const shares = { max: { account: 2, address: 3, tenant: 4 }, overShare };
const from = (account: string, address: string, tenant: string | undefined) => ({ account, address, tenant });
const hashFor = (queue: HashingQueue, requester: HashingRequester) =>
	queue.withShare(requester, ({ hash }) => hash("x"));

test.each([
	["account", 2, (n: number) => from("a", `address-${n}`, `tenant-${n}`)],
	["address", 3, (n: number) => from(`account-${n}`, "1", `tenant-${n}`)],
	["tenant", 4, (n: number) => from(`account-${n}`, `address-${n}`, "t")],
])(
	"one %s has at most %i hashes in flight, and can hash again when they are done",
	async (_kind, max, of) => {
		const queue = await createHashingQueue({ atOnce: 1, waitingMax: 50, busy, shares });
		const results = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => hashFor(queue, of(n))));
		expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(max);
		for (const one of results)
			if (one.status === "rejected") expect(one.reason).toEqual(new Error("over share"));
		await expect(hashFor(queue, of(9))).resolves.toContain("$argon2id$");
	},
);

test("a task over its requester's share does not start", async () => {
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 50, busy, shares });
	const requester = from("a", "1", "t");
	const [first, second] = [hashFor(queue, requester), hashFor(queue, requester)];
	let hasStarted = false;
	const third = queue.withShare(requester, async () => {
		hasStarted = true;
	});
	await expect(third).rejects.toThrow("over share");
	expect(hasStarted).toBe(false);
	await Promise.all([first, second]);
});

test("a task without a tenant counts for no tenant", async () => {
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 50, busy, shares });
	const results = await Promise.allSettled(
		Array.from({ length: 8 }, (_, n) => hashFor(queue, from(`account-${n}`, `address-${n}`, undefined))),
	);
	expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
});

test("waiting hashes of different addresses run in rotation", async () => {
	const max = { account: 50, address: 50, tenant: 50 };
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 50, busy, shares: { max, overShare } });
	const done: string[] = [];
	const hash = async (address: string) => {
		await hashFor(queue, from("a", address, "t"));
		done.push(address);
	};
	await Promise.all([...Array.from({ length: 10 }, () => hash("loud")), hash("quiet"), hash("other")]);
	expect(done.indexOf("quiet")).toBeLessThanOrEqual(3);
	expect(done.indexOf("other")).toBeLessThanOrEqual(4);
});

test("a full queue does not use up a share", async () => {
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 0, busy, shares });
	const first = hashFor(queue, from("b", "2", "u"));
	for (let n = 0; n < 5; n += 1) await expect(hashFor(queue, from("a", "1", "t"))).rejects.toThrow("busy");
	await first;
	await expect(hashFor(queue, from("a", "1", "t"))).resolves.toContain("$argon2id$");
});

test("no sequence of takes and releases exceeds a share or leaves one behind", () => {
	const key = fc.constantFrom("1", "2");
	const tenant = fc.option(key, { nil: undefined });
	const step = fc.oneof(fc.record({ account: key, address: key, tenant }), fc.nat(20));
	fc.assert(
		fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
			const { take } = createShares(shares.max);
			const taken: Array<{ requester: ReturnType<typeof from>; release: () => void }> = [];
			const countOf = (kind: keyof typeof shares.max, name: string | undefined) =>
				name === undefined ? 0 : taken.filter(({ requester }) => requester[kind] === name).length;
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
