import { chassisFailures, outletsOf, permit, type Route, route, tenantOf } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { ChannelWire, StatusWire } from "../messages/message-wire.ts";
import type { Notifications } from "../parts.ts";
import { countByDay, countComplaints, type Days, findSpan, findToday } from "./statistics.store.ts";
import { sumByChannel } from "./statistics.ts";

const daysMax = 31;
const daysDefault = 7;
const dayMs = 24 * 3_600_000;

const Day = Type.String({ format: "date" });
const Rate = Type.Union([Type.Number({ description: "A share of what was sent: 0.05 is 5 %" }), Type.Null()]);
const StatisticsWire = Type.Object({
	from: Day,
	to: Day,
	days: Type.Array(
		Type.Object({ day: Day, channel: ChannelWire, status: StatusWire, count: Type.Integer() }),
		{ description: "Deliveries by the day on which their message was accepted" },
	),
	totals: Type.Array(
		Type.Object({
			channel: ChannelWire,
			accepted: Type.Integer(),
			sent: Type.Integer({ description: "Accepted by a provider" }),
			bounced: Type.Integer(),
			complaints: Type.Integer({ description: "Addresses that complained, of the whole tenant" }),
			bounce_rate: Rate,
			complaint_rate: Rate,
		}),
	),
});

/** The route of statistics. */
export const statisticsRoutes = ({ db, now }: Notifications): readonly Route[] => [
	route({
		method: "GET",
		url: "/statistics",
		access: permit("notifications.messages.view"),
		schema: {
			summary: "Counts deliveries by day and status, and returns bounce and complaint rates",
			description: "At most 31 days in the tenant's time zone; the default is the last seven.",
			tags: ["messages"],
			querystring: Type.Object({
				from: Type.Optional(Day),
				to: Type.Optional(Day),
				channel: Type.Optional(ChannelWire),
			}),
			response: { 200: StatisticsWire },
		},
		handler: async (request) => {
			const { channel } = request.query;
			const outlets = outletsOf(request);
			return inTenant(db, tenantOf(request).id, async (tx) => {
				const days = await readDays(tx, request.query, now());
				const span = await findSpan(tx, days);
				if (span === undefined) throw new Error("the tenant is not known");
				const counts = await countByDay(tx, { ...span, outlets, channel });
				const complaints = await countComplaints(tx, span);
				const totals = sumByChannel(counts, complaints).filter(
					(one) => channel === undefined || one.channel === channel,
				);
				return {
					...days,
					days: counts,
					totals: totals.map(({ bounceRate, complaintRate, ...total }) => ({
						...total,
						bounce_rate: bounceRate,
						complaint_rate: complaintRate,
					})),
				};
			});
		},
	}),
];

/** Reads the days of a query. Throws `invalid_input` if they are in the wrong order, or too many. */
async function readDays(
	tx: Database,
	query: { from?: string | undefined; to?: string | undefined },
	now: Date,
): Promise<Days> {
	const to = query.to ?? (await findToday(tx, now)) ?? now.toISOString().slice(0, 10);
	const from = query.from ?? new Date(Date.parse(to) - (daysDefault - 1) * dayMs).toISOString().slice(0, 10);
	const count = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
	if (count < 1 || count > daysMax)
		throw chassisFailures.invalid_input({
			message: `from must be at most ${daysMax - 1} days before to.`,
			fields: { field: "from", in: "query" },
		});
	return { from, to };
}
