import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { PathText } from "../../layout/path-text.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { useMessageFilters } from "./message-filters.ts";
import { type Message, messagesKey, notificationsAddress } from "./state/message.queries.ts";
import { NotificationsGate } from "./state/notifications-gate.tsx";
import { useMessageTexts } from "./state/texts.ts";

const route = getRouteApi("/$slug/messages");

/** `/{slug}/messages`: the feed of messages, the newest first. The filters are in the address. */
export function MessagesPage() {
	const { slug } = route.useParams();
	return (
		<NotificationsGate slug={slug} permission="notifications.messages.view">
			{(scope) => <Feed scope={scope} />}
		</NotificationsGate>
	);
}

function Feed({ scope }: { scope: ServiceScope }) {
	const { slug } = scope;
	const words = useMessageTexts();
	const list = usePagedList<Message>({
		key: [...messagesKey(scope), "feed"],
		address: notificationsAddress(usePlatform(), scope, "messages"),
		fields: useMessageFilters(slug),
		outlet: scope.outlet,
	});
	const links = (
		<span className="flex flex-wrap gap-3">
			<Link to="/$slug/messages/statistics" params={{ slug }} className={buttonLook("plain")}>
				{words.statistics.title}
			</Link>
			<Link to="/$slug/messages/redrives" params={{ slug }} className={buttonLook("plain")}>
				{words.redrives.title}
			</Link>
		</span>
	);
	return (
		<Page title={words.title} lead={words.lead} actions={links}>
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns(slug)}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function useColumns(slug: string): Column<Message>[] {
	const words = useMessageTexts();
	const { channelNames, categories } = useTemplateTexts();
	const format = useFormat();
	return [
		{
			head: words.message,
			cell: ({ id, template, created_at, category }) => (
				<RowName detail={wordFor(categories, category)}>
					<Link
						to="/$slug/messages/$messageId"
						params={{ slug, messageId: id }}
						className={buttonLook("quiet")}
						aria-label={words.openOne(template, format.time(created_at))}
					>
						<PathText path={template} />
					</Link>
				</RowName>
			),
		},
		{ head: words.channel, cell: ({ channel }) => channelNames[channel] },
		{ head: words.source, cell: ({ source }) => wordFor(words.sources, source) },
		{ head: words.recipients, isNumber: true, cell: ({ recipients }) => format.number(recipients) },
		{ head: words.state, isLong: true, cell: ({ counts }) => <Counts counts={counts} /> },
		{ head: words.at, cell: ({ created_at }) => format.time(created_at) },
	];
}

/** How many deliveries of a message are in which state. */
export function Counts({ counts }: Pick<Message, "counts">) {
	const { statuses } = useMessageTexts();
	const format = useFormat();
	const found = Object.entries(counts).filter(([, count]) => count > 0);
	return found.map(([status, count]) => `${wordFor(statuses, status)}: ${format.number(count)}`).join(" · ");
}
