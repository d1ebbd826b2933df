import { Button, Notice } from "@lango/interface";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { BackLink } from "../../layout/back-link.tsx";
import { DetailRows } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { ResendButton } from "./resend-button.tsx";
import { type DeliveryDetail, deliveryQuery, resendable, revealAddress } from "./state/message.queries.ts";
import { NotificationsGate } from "./state/notifications-gate.tsx";
import { lookOf } from "./state/status-look.ts";
import { useMessageTexts } from "./state/texts.ts";
import { explainCode, isAddressBad } from "./timeline/explain-entry.ts";
import { useTimelineTexts } from "./timeline/texts.ts";
import { Timeline } from "./timeline/timeline.tsx";

const route = getRouteApi("/$slug/messages/$messageId/deliveries/$deliveryId");

/** `/{slug}/messages/{id}/deliveries/{id}`: one delivery with its timeline. */
export function DeliveryPage() {
	const { slug, messageId, deliveryId } = route.useParams();
	const words = useMessageTexts();
	return (
		<NotificationsGate slug={slug} permission="notifications.messages.view">
			{(scope, may) => (
				<>
					<BackLink to="/$slug/messages/$messageId" params={{ slug, messageId }}>
						{words.backToMessage}
					</BackLink>
					<Loading scope={scope} id={deliveryId} may={may} />
				</>
			)}
		</NotificationsGate>
	);
}

type May = (permission: string) => boolean;

function Loading({ scope, id, may }: { scope: ServiceScope; id: string; may: May }) {
	return (
		<Loaded query={useQuery(deliveryQuery(usePlatform(), scope, id))} isMain>
			{(delivery) => <Shown scope={scope} delivery={delivery} may={may} />}
		</Loaded>
	);
}

type Shown = { scope: ServiceScope; delivery: DeliveryDetail };

function Shown({ scope, delivery, may }: Shown & { may: May }) {
	const words = useMessageTexts();
	const timeline = useTimelineTexts();
	const { channelNames } = useTemplateTexts();
	const format = useFormat();
	const { status, error_code, sent_at, final_at } = delivery;
	const mayResend = may("notifications.messages.change") && resendable.includes(status);
	const look = lookOf(status);
	return (
		<Page
			title={words.deliveryTo(delivery.address_masked)}
			actions={mayResend && <ResendButton scope={scope} delivery={delivery} />}
		>
			<div className="mb-6">
				<Notice kind={look === "error" ? "warning" : look}>
					<p>
						<strong>{wordFor(words.statuses, status)}.</strong> {wordFor(words.stateTexts, status)}{" "}
						{error_code !== null && explainCode(error_code, timeline)}
					</p>
					{(status === "bounced" || status === "suppressed" || isAddressBad(error_code)) && (
						<Link to="/$slug/suppressions" params={{ slug: scope.slug }} className="underline">
							{words.suppressions}
						</Link>
					)}
				</Notice>
			</div>
			<DetailRows
				rows={[
					[words.channel, channelNames[delivery.channel]],
					[
						words.recipient,
						<Address
							key="address"
							scope={scope}
							delivery={delivery}
							mayShow={may("notifications.messages.manage")}
						/>,
					],
					[words.attempts, format.number(delivery.attempt)],
					[words.provider, delivery.provider],
					[words.segments, delivery.segments > 0 ? format.number(delivery.segments) : null],
					[words.sendAt, status === "queued" ? format.time(delivery.due_at) : null],
					[words.sentAt, sent_at && format.time(sent_at)],
					[words.endedAt, final_at && format.time(final_at)],
					[words.id, delivery.id],
				]}
			/>
			<Timeline delivery={delivery} />
		</Page>
	);
}

/** The masked address, and a button that shows it in clear. */
function Address({ scope, delivery, mayShow }: Shown & { mayShow: boolean }) {
	const platform = usePlatform();
	const words = useMessageTexts();
	const { mutate, data, error, isPending } = useMutation({
		mutationFn: () => revealAddress(platform, scope, delivery.id),
	});
	return (
		<>
			<span role="status" className="mr-3">
				{data?.address ?? delivery.address_masked}
			</span>
			{mayShow && delivery.channel !== "push" && data === undefined && (
				<>
					<Button kind="quiet" busyText={isPending ? words.showing : undefined} onClick={() => mutate()}>
						{words.showAddress}
					</Button>
					<span className="block text-quiet">{words.showAddressHint}</span>
				</>
			)}
			<ErrorNotice error={error} messages={words.errors} />
		</>
	);
}
