import { type Column, DataTable } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../layout/back-link.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { FilterBar } from "../../lists/filter-bar.tsx";
import { useListFilters } from "../../lists/list-address.ts";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { type DayCount, sumByDay } from "./count-days.ts";
import { type Statistics, statisticsQuery, type Total } from "./state/message.queries.ts";
import { NotificationsGate } from "./state/notifications-gate.tsx";
import { useMessageTexts } from "./state/texts.ts";

const route = getRouteApi("/$slug/messages/statistics");

/** `/{slug}/messages/statistics`: deliveries by day, bounces and complaints. */
export function StatisticsPage() {
	const { slug } = route.useParams();
	return (
		<NotificationsGate slug={slug} permission="notifications.messages.view">
			{(scope) => <Days scope={scope} />}
		</NotificationsGate>
	);
}

function Days({ scope }: { scope: ServiceScope }) {
	const words = useMessageTexts();
	const filters = useListFilters("", ["from", "to"]);
	const { from, to } = filters.filter;
	const query = useQuery(
		statisticsQuery(usePlatform(), scope, {
			...(from !== undefined && { from }),
			...(to !== undefined && { to }),
		}),
	);
	return (
		<>
			<BackLink to="/$slug/messages" params={{ slug: scope.slug }}>
				{words.title}
			</BackLink>
			<Page title={words.statistics.title} lead={words.statistics.lead}>
				<FilterBar
					filters={filters}
					fields={[
						{ kind: "day", name: "from", label: words.from },
						{ kind: "day", name: "to", label: words.to },
					]}
				/>
				<Loaded query={query}>{(statistics) => <Tables statistics={statistics} />}</Loaded>
			</Page>
		</>
	);
}

function Tables({ statistics }: { statistics: Statistics }) {
	const words = useMessageTexts();
	const days = sumByDay(statistics);
	return (
		<>
			<Section title={words.statistics.byDay}>
				<DataTable
					caption={words.statistics.byDay}
					columns={useDayColumns(Math.max(1, ...days.map(({ all }) => all)))}
					rows={days}
					keyOf={({ day }) => day}
					empty={words.none}
				/>
			</Section>
			<Section title={words.statistics.byChannel}>
				<DataTable
					caption={words.statistics.byChannel}
					columns={useTotalColumns()}
					rows={statistics.totals}
					keyOf={({ channel }) => channel}
					empty={words.none}
				/>
			</Section>
		</>
	);
}

function useDayColumns(most: number): Column<DayCount>[] {
	const { statistics: words } = useMessageTexts();
	const format = useFormat();
	return [
		{ head: words.day, cell: ({ day }) => format.day(`${day}T12:00:00Z`) },
		{ head: words.accepted, isNumber: true, cell: ({ all }) => format.number(all) },
		{ head: words.sent, isNumber: true, cell: ({ sent }) => format.number(sent) },
		{ head: words.notSent, isNumber: true, cell: ({ all, sent, open }) => format.number(all - sent - open) },
		{ head: words.chart, isHeadHidden: true, cell: (count) => <Bar {...count} most={most} /> },
	];
}

const width = 200;

/** The day as a bar: what was sent, then the rest. It is decoration: the row has the numbers. */
function Bar({ all, sent, most }: DayCount & { most: number }) {
	return (
		<svg
			aria-hidden="true"
			viewBox={`0 0 ${width} 12`}
			preserveAspectRatio="none"
			className="h-3 w-full min-w-24"
		>
			<rect width={(all / most) * width} height={12} className="fill-ring" />
			<rect width={(sent / most) * width} height={12} className="fill-link" />
		</svg>
	);
}

const percents = 100;

function useTotalColumns(): Column<Total>[] {
	const { statistics: words } = useMessageTexts();
	const { channelNames } = useTemplateTexts();
	const format = useFormat();
	const rate = (share: number | null) =>
		share === null ? "–" : `${format.number(Math.round(share * percents * percents) / percents)} %`;
	return [
		{ head: words.channel, cell: ({ channel }) => channelNames[channel] },
		{ head: words.accepted, isNumber: true, cell: ({ accepted }) => format.number(accepted) },
		{ head: words.sent, isNumber: true, cell: ({ sent }) => format.number(sent) },
		{ head: words.bounced, isNumber: true, cell: ({ bounced }) => format.number(bounced) },
		{ head: words.bounceRate, isNumber: true, cell: ({ bounce_rate }) => rate(bounce_rate) },
		{ head: words.complaints, isNumber: true, cell: ({ complaints }) => format.number(complaints) },
		{ head: words.complaintRate, isNumber: true, cell: ({ complaint_rate }) => rate(complaint_rate) },
	];
}
