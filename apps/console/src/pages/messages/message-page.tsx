import { buttonLook, type Column, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Badge } from "../../layout/badge.tsx";
import { DetailRows } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { Counts } from "./messages-page.tsx";
import {
	cancel,
	type Delivery,
	type Message,
	messageQuery,
	messagesKey,
	notificationsAddress,
} from "./state/message.queries.ts";
import { NotificationsGate } from "./state/notifications-gate.tsx";
import { lookOf } from "./state/status-look.ts";
import { useMessageTexts } from "./state/texts.ts";
import { explainCode } from "./timeline/explain-entry.ts";
import { useTimelineTexts } from "./timeline/texts.ts";

const route = getRouteApi("/$slug/messages/$messageId");

/** `/{slug}/messages/{id}`: one message with its deliveries. */
export function MessagePage() {
	const { slug, messageId } = route.useParams();
	return (
		<NotificationsGate slug={slug} permission="notifications.messages.view">
			{(scope, may) => (
				<Loading scope={scope} id={messageId} mayChange={may("notifications.messages.change")} />
			)}
		</NotificationsGate>
	);
}

type Loading = { scope: ServiceScope; id: string; mayChange: boolean };

function Loading({ scope, id, mayChange }: Loading) {
	const words = useMessageTexts();
	const { slug } = scope;
	return (
		<>
			<BackLink to="/$slug/messages" params={{ slug }}>
				{words.title}
			</BackLink>
			<Loaded query={useQuery(messageQuery(usePlatform(), scope, id))} isMain>
				{(message) => <Shown scope={scope} message={message} mayChange={mayChange} />}
			</Loaded>
		</>
	);
}

type Shown = { scope: ServiceScope; message: Message; mayChange: boolean };

function Shown({ scope, message, mayChange }: Shown) {
	const platform = usePlatform();
	const words = useMessageTexts();
	const { channelNames, categories } = useTemplateTexts();
	const format = useFormat();
	const { id, counts, labels } = message;
	const mayCancel = mayChange && Number(counts["queued"]) > 0;
	const list = usePagedList<Delivery>({
		key: [...messagesKey(scope), "deliveries", id, JSON.stringify(counts)],
		address: notificationsAddress(platform, scope, `messages/${id}/deliveries`),
		outlet: scope.outlet,
	});
	return (
		<Page
			title={message.template}
			lead={<Counts counts={counts} />}
			actions={
				mayCancel && (
					<ConfirmButton
						texts={words.cancel}
						isDestructive
						action={() => cancel(platform, scope, id)}
						invalidates={messagesKey(scope)}
					/>
				)
			}
		>
			<DetailRows
				rows={[
					[words.channel, channelNames[message.channel]],
					[words.category, wordFor(categories, message.category)],
					[words.source, wordFor(words.sources, message.source)],
					[words.urgency, wordFor(words.classes, message.class)],
					[words.at, format.time(message.created_at)],
					[words.sendAt, message.send_at > message.created_at ? format.time(message.send_at) : null],
					[words.until, format.time(message.expires_at)],
					[
						words.labels,
						Object.entries(labels)
							.map(([name, value]) => `${name}: ${value}`)
							.join(", ") || null,
					],
					[words.id, id],
				]}
			/>
			<Section title={words.deliveries}>
				<PagedList
					list={list}
					caption={words.deliveries}
					columns={useColumns(scope.slug)}
					keyOf={(delivery) => delivery.id}
					empty={words.noDeliveries}
				/>
			</Section>
		</Page>
	);
}

function useColumns(slug: string): Column<Delivery>[] {
	const words = useMessageTexts();
	const timeline = useTimelineTexts();
	const format = useFormat();
	return [
		{
			head: words.recipient,
			cell: ({ id, message_id, address_masked, error_code }) => (
				<RowName detail={error_code === null ? null : explainCode(error_code, timeline)}>
					<Link
						to="/$slug/messages/$messageId/deliveries/$deliveryId"
						params={{ slug, messageId: message_id, deliveryId: id }}
						className={buttonLook("quiet")}
					>
						{address_masked}
					</Link>
				</RowName>
			),
		},
		{
			head: words.state,
			cell: ({ status }) => <Badge kind={lookOf(status)}>{wordFor(words.statuses, status)}</Badge>,
		},
		{ head: words.attempts, isNumber: true, cell: ({ attempt }) => format.number(attempt) },
		{ head: words.provider, cell: ({ provider }) => provider ?? "–" },
		{
			head: words.lastChange,
			cell: ({ final_at, sent_at, created_at }) => format.time(final_at ?? sent_at ?? created_at),
		},
	];
}
