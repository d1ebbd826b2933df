import type { Column } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../../layout/back-link.tsx";
import { Badge } from "../../../layout/badge.tsx";
import { Page } from "../../../layout/page.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { wordFor } from "../../../texts/texts.ts";
import { messagesKey, notificationsAddress, type Redrive } from "../state/message.queries.ts";
import { NotificationsGate } from "../state/notifications-gate.tsx";
import { useMessageTexts } from "../state/texts.ts";
import { RedriveButton } from "./redrive-button.tsx";

const route = getRouteApi("/$slug/messages/redrives");

/** `/{slug}/messages/redrives`: sending deliveries of a filter again, and how far that is. */
export function RedrivesPage() {
	const { slug } = route.useParams();
	return (
		<NotificationsGate slug={slug} permission="notifications.messages.view">
			{(scope, may) => <Redrives scope={scope} mayChange={may("notifications.messages.change")} />}
		</NotificationsGate>
	);
}

function Redrives({ scope, mayChange }: { scope: ServiceScope; mayChange: boolean }) {
	const { title, redrives: words } = useMessageTexts();
	const list = usePagedList<Redrive>({
		key: [...messagesKey(scope), "redrives"],
		address: notificationsAddress(usePlatform(), scope, "deliveries/redrives"),
		outlet: scope.outlet,
	});
	return (
		<>
			<BackLink to="/$slug/messages" params={{ slug: scope.slug }}>
				{title}
			</BackLink>
			<Page title={words.title} lead={words.lead} actions={mayChange && <RedriveButton scope={scope} />}>
				<PagedList
					isMain
					list={list}
					caption={words.title}
					columns={useColumns()}
					keyOf={({ id }) => id}
					empty={words.none}
				/>
			</Page>
		</>
	);
}

const looks = { running: "plain", finished: "done", stopped: "error" } as const;

function useColumns(): Column<Redrive>[] {
	const { redrives: words } = useMessageTexts();
	const format = useFormat();
	return [
		{ head: words.at, cell: ({ created_at }) => format.time(created_at) },
		{
			head: words.state,
			cell: ({ status, reason }) => (
				<>
					<Badge kind={looks[status]}>{words.states[status]}</Badge>{" "}
					{reason && wordFor(words.reasons, reason)}
				</>
			),
		},
		{ head: words.matched, isNumber: true, cell: ({ matched }) => format.number(matched) },
		{ head: words.leftOut, isNumber: true, cell: ({ left_out }) => format.number(left_out) },
		{
			head: words.counts,
			isLong: true,
			cell: ({ counts }) =>
				Object.entries(counts)
					.map(([code, count]) => `${wordFor(words.reasons, code)}: ${format.number(count)}`)
					.join(" · ") || "–",
		},
	];
}
