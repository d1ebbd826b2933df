import { expect, test } from "vitest";
import { accepted, refused, unknown } from "../../gateways/calls/answer.ts";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import type { Payout } from "../../payouts/payout.ts";
import { takeCovered } from "./claim-payouts.ts";
import { saidByRefusal, sendTransfers } from "./send-transfer.ts";

type Request = Parameters<CardGateway["send"]>[0];
/** A gateway that answers as a test says, and the paths that were called. */
function gatewayThat(answer: (request: Request) => object) {
	const paths: string[] = [];
	const send = async (request: Request) => {
		paths.push(request.path);
		return answer(request);
	};
	return { gateway: { send } as unknown as CardGateway, paths };
}

const payouts = ["a", "b", "c"].map(
	(id) =>
		({ id, netMinor: 100n, currency: "KES", recipientCode: id, reference: `out-${id}`, lines: [] }) as object,
) as Payout[];
const sendAll = (gateway: CardGateway, mayContinue = async () => true) =>
	sendTransfers(gateway, { payouts, mayContinue });
const isBulk = ({ path }: Request) => path.endsWith("/bulk");
const queued = ({ json }: Request) =>
	accepted({ reference: (json as { reference: string }).reference, status: "pending" }, {});

test("one recipient that the gateway refuses fails its own payout, and no other one of the batch", async () => {
	const { gateway, paths } = gatewayThat((request) => {
		const isBad = isBulk(request) || (request.json as { recipient: string }).recipient === "b";
		return isBad ? refused("invalid_transfer_recipient", "No") : queued(request);
	});
	const said = await sendAll(gateway);
	expect([...said].map(([id, { kind }]) => [id, kind])).toEqual([
		["a", "in_flight"],
		["b", "failed"],
		["c", "in_flight"],
	]);
	expect(paths).toEqual(["/transfer/bulk", "/transfer", "/transfer", "/transfer"]);
});

test("of transfers that are sent one by one, those after a halt are not sent", async () => {
	const { gateway, paths } = gatewayThat((request) =>
		isBulk(request) ? refused("otp_enabled", "No") : queued(request),
	);
	const said = await sendAll(gateway, async () => paths.length < 2);
	expect([...said.values()]).toMatchObject([
		{ kind: "in_flight" },
		{ kind: "not_sent", code: "interrupted", needsOperator: false },
		{ kind: "not_sent", code: "interrupted", needsOperator: false },
	]);
	expect(paths).toHaveLength(2);
});

test("a batch without an answer is unknown, and so is what a partial answer leaves out: none is sent again", async () => {
	const lost = gatewayThat(() => unknown("timeout"));
	expect([...(await sendAll(lost.gateway)).values()]).toEqual(
		payouts.map(() => ({ kind: "unknown", because: "timeout" })),
	);
	const partial = gatewayThat(() => accepted({ transfers: [{ reference: "out-a", status: "pending" }] }, {}));
	expect([...(await sendAll(partial.gateway)).values()].map(({ kind }) => kind)).toEqual([
		...["in_flight", "unknown", "unknown"],
	]);
	expect([lost.paths.length, partial.paths.length]).toEqual([1, 1]);
});

test.each([
	["insufficient_balance", "not_sent", true],
	["http_401", "not_sent", true],
	["http_403", "not_sent", true],
	["401.002.02", "not_sent", true],
	["400.008.01", "not_sent", true],
	["initiator_missing", "not_sent", true],
	["certificate_missing", "not_sent", true],
	["invalid_transfer_recipient", "failed", undefined],
	["400.002.02", "failed", undefined],
	["duplicate_reference", "unknown", undefined],
])("the refusal %s makes a payout %s", (code, kind, needsOperator) => {
	expect(saidByRefusal(refused(code, ""))).toMatchObject({ kind, ...(needsOperator && { needsOperator }) });
});

test("a batch takes the payouts whose sum the balance covers, with their fees", () => {
	const withFee = payouts.map((payout) => ({
		...payout,
		lines: [{ kind: "transfer_fee", amountMinor: -5n }] as Payout["lines"],
	}));
	const idsFor = (balanceMinor: bigint) => takeCovered(withFee, balanceMinor).map(({ id }) => id);
	expect([104n, 105n, 314n, 315n].map(idsFor)).toEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]]);
});
