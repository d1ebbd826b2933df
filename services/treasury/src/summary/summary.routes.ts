import { platformOwner, type Route, route, tenantWide } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import Type from "typebox";
import { BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import type { Treasury } from "../treasury.ts";
import { ages } from "./age.ts";
import { listChannelFees, listFloat } from "./summary.store.ts";
import { countedKinds, countUnresolved } from "./unresolved.store.ts";

const days = 30;
const Count = Type.Integer({ minimum: 0 });
const ByAge = Type.Object(Object.fromEntries(ages.map((age) => [age, Count])), {
	description: "Younger than an hour, a day, a week; older. Counted up to 10,000",
});

const SummaryWire = Type.Object({
	float: Type.Array(
		Type.Object(
			{
				currency: Currency,
				balance_minor: { ...BalanceMinor, description: "The transfer balance at the card gateway" },
				unsettled_minor: { ...BalanceMinor, description: "Charges that no settlement contains yet" },
				sent_minor: { ...BalanceMinor, description: "Payouts that the gateway has, and that are not paid" },
				approved_minor: { ...BalanceMinor, description: "Payouts that are approved and not sent" },
				waiting_minor: { ...BalanceMinor, description: "Payouts that wait for approval" },
				forecast_minor: { ...BalanceMinor, description: "The balance after what is sent and approved" },
			},
			{ description: "The money that payouts take with the fees of their transfers, in one currency" },
		),
	),
	fees: Type.Array(
		Type.Object({
			channel: Type.String(),
			currency: Currency,
			fee_minor: { ...BalanceMinor, description: "What the gateway kept" },
			variance_minor: { ...BalanceMinor, description: "How much more than estimated" },
		}),
		{ description: `Fees of the card gateway in the last ${days} days` },
	),
	unresolved: Type.Object(Object.fromEntries(countedKinds.map((kind) => [kind, ByAge])), {
		description:
			"Attempts, payouts and refunds whose outcome is not known, payouts that wait for a one-time password, and webhooks that are parked",
	}),
});

/** The operator's overview of money at gateways and of what is not known. */
export const summaryRoutes = ({ db, now }: Treasury): readonly Route[] => [
	route({
		...{ method: "GET", url: "/api/v1/platform/treasury-summary" },
		...{ access: platformOwner(), outlets: tenantWide("the summary is the platform's") },
		schema: {
			summary: "Returns the float beside payouts, fees by channel, and what is not known by age",
			tags: ["reconciliation"],
			response: { 200: SummaryWire, 401: FailureBody, 403: FailureBody },
		},
		handler: async () => {
			const at = now();
			const float = await listFloat(db);
			const fees = await listChannelFees(db, new Date(at.getTime() - days * 86_400_000));
			const counted = await countUnresolved(db, at);
			const foundOf = (kind: string, age: string) =>
				counted.find((one) => one.kind === kind && one.age === age)?.found ?? 0;
			return {
				float: float.map((one) => ({
					...{ currency: one.currency, balance_minor: toMinor(one.balanceMinor) },
					...{ unsettled_minor: toMinor(one.unsettledMinor), sent_minor: toMinor(one.sentMinor) },
					...{ approved_minor: toMinor(one.approvedMinor), waiting_minor: toMinor(one.waitingMinor) },
					forecast_minor: toMinor(one.balanceMinor - one.sentMinor - one.approvedMinor),
				})),
				fees: fees.map(({ channel, currency, feeMinor, varianceMinor }) => ({
					...{ channel, currency, fee_minor: toMinor(feeMinor), variance_minor: toMinor(varianceMinor) },
				})),
				unresolved: Object.fromEntries(
					countedKinds.map((kind) => [
						kind,
						Object.fromEntries(ages.map((age) => [age, foundOf(kind, age)])),
					]),
				),
			};
		},
	}),
];
