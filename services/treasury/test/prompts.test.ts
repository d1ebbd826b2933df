import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { switchHalt } from "../src/halts/halt.store.ts";
import { addBill } from "./add-bill.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const setFaults = (fault?: string, count = 1) =>
	till.sandbox("PUT", "/_control/faults", fault === undefined ? [] : [{ operation: "push", fault, count }]);
afterEach(() => setFaults());

const call = (method: "GET" | "POST", path: string, body?: object) => {
	const { uhai } = till.tenants;
	const url = `/api/v1/${uhai.slug}/treasury/bills/${path}`;
	return till.call({ method, url, token: till.token(uhai, "admin"), ...(body && { body }) });
};

/** Asks a phone to pay a new bill. Returns what reads the statuses of its prompts. */
async function prompt(phone: string) {
	const { id } = till.tenants.uhai;
	const { operationId } = await inTenant(till.database.db, id, (tx) => addBill(tx, id));
	const push = async () => (await call("POST", `${operationId}/push`, { phone })).body["status"];
	const statuses = async () => {
		const { body } = await call("GET", operationId);
		return (body["attempts"] as Array<{ status: string }>).map(({ status }) => status);
	};
	return { first: await push(), push, statuses };
}

const rejected = (times: number) => Array<string>(times).fill("rejected");

test.each(["spike_arrest", "quota"])(
	"a prompt that the gateway refuses for a moment (%s) is tried again after 10, 60 and 300 seconds, and no more",
	async (fault) => {
		await setFaults(fault, 5);
		const { first, statuses } = await prompt(newPhone("accepts"));
		expect(first).toBe("rejected");
		for (const [at, seconds] of [10, 60, 300].entries()) {
			await till.wait(seconds / 2);
			expect(await statuses()).toEqual(rejected(at + 1));
			await till.wait(seconds / 2);
			await expect.poll(statuses).toEqual(rejected(at + 2));
		}
		await till.wait(3_600);
		expect(await statuses()).toEqual(rejected(4));
	},
);

test("a prompt that is tried again is paid", async () => {
	await setFaults("spike_arrest");
	const { statuses } = await prompt(newPhone("accepts"));
	await till.wait(10);
	const settled = async () => {
		await till.service.jobs.runDue();
		return statuses();
	};
	await expect.poll(settled).toEqual(["rejected", "succeeded"]);
});

test("a prompt that was refused for good is not tried again, nor one after which another was sent", async () => {
	await setFaults("spike_arrest");
	const { push, statuses } = await prompt(newPhone("is silent"));
	expect(await push()).toBe("awaiting");
	await till.wait(10);
	expect(await statuses()).toEqual(["rejected", "awaiting"]);
	await till.sandbox("PUT", "/_control/shortcodes", [{ shortcode: "600100", kind: "till" }]);
	const refused = await prompt(newPhone("accepts"));
	await till.sandbox("PUT", "/_control/shortcodes", [{ shortcode: "600100", kind: "paybill" }]);
	await till.wait(600);
	expect(await refused.statuses()).toEqual(["rejected"]);
});

test("while collections are halted a prompt is not tried again, and afterwards it is", async () => {
	const halt = (isOn: boolean) =>
		switchHalt(
			till.database.db,
			{
				...{ scope: "collections", tenantId: till.tenants.uhai.id, isOn, because: "the gateway is tested" },
				...{ setBy: "operator", setAt: new Date() },
			},
			async () => {},
		);
	await setFaults("spike_arrest");
	const { statuses } = await prompt(newPhone("is silent"));
	await halt(true);
	await till.wait(10);
	expect(await statuses()).toEqual(["rejected"]);
	await halt(false);
	const later = async () => {
		await till.wait(60);
		return statuses();
	};
	await expect.poll(later).toEqual(["rejected", "awaiting"]);
});

test("a prompt of a tenant that was suspended meanwhile is not tried again", async () => {
	const setStatus = (status: "active" | "suspended") =>
		till.database.db.query("update tenants set status = $2 where id = $1", [till.tenants.uhai.id, status]);
	await setFaults("spike_arrest");
	const { statuses } = await prompt(newPhone("accepts"));
	await setStatus("suspended");
	await till.wait(10);
	await setStatus("active");
	await till.wait(3_600);
	expect(await statuses()).toEqual(["rejected"]);
});
