import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, DetailRows, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { deliveriesKey, deliveryQuery, replayDelivery, type WholeDelivery } from "./delivery.queries.ts";
import { DeliveryStatus } from "./delivery-status.tsx";
import { formatRaw } from "./format-raw.ts";
import { useWebhookTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/webhooks/$id");

/** `/{slug}/platform/webhooks/{id}`: what a gateway sent, with its text and its outcome. */
export function WebhookPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <StoredDelivery />;
}

function StoredDelivery() {
	const { slug, id } = route.useParams();
	const platform = usePlatform();
	const words = useWebhookTexts();
	const found = useQuery(deliveryQuery(platform, id));
	const again = (
		<ConfirmButton
			texts={words.replay}
			name={id}
			action={() => replayDelivery(platform, id)}
			invalidates={deliveriesKey}
		/>
	);
	return (
		<>
			<BackLink to="/$slug/platform/webhooks" params={{ slug }}>
				{words.title}
			</BackLink>
			<Page title={`${words.delivery} ${id}`} actions={found.data !== undefined && again}>
				<Loaded query={found} isMain>
					{(delivery) => (
						<>
							<Facts delivery={delivery} />
							<Contents delivery={delivery} />
						</>
					)}
				</Loaded>
			</Page>
		</>
	);
}

function Facts({ delivery }: { delivery: WholeDelivery }) {
	const words = useWebhookTexts();
	const format = useFormat();
	const { gateway, route: name, object, status, trust, received_at, error } = delivery;
	return (
		<Details>
			<Detail label={words.gateway}>{words.gateways[gateway]}</Detail>
			<Detail label={words.route}>{name}</Detail>
			<Detail label={words.status}>
				<DeliveryStatus status={status} />
			</Detail>
			<Detail label={words.outcome}>{error ?? "–"}</Detail>
			<Detail label={words.trust}>{trust === null ? "–" : wordFor(words.trusts, trust)}</Detail>
			<Detail label={words.receivedAt}>{format.time(received_at)}</Detail>
			<Detail label={words.address}>{delivery.remote_ip}</Detail>
			<Detail label={words.tries}>{format.number(delivery.tries)}</Detail>
			<Detail label={words.duplicates}>{format.number(delivery.duplicates)}</Detail>
			<Detail label={words.object}>{object}</Detail>
		</Details>
	);
}

function Contents({ delivery: { raw, headers } }: { delivery: WholeDelivery }) {
	const words = useWebhookTexts();
	const rows = Object.entries(headers);
	return (
		<>
			<Section title={words.raw}>
				{raw === "" ? (
					<p className="text-quiet">{words.empty}</p>
				) : (
					<pre className="rounded-lg border border-hair bg-field p-4 text-sm whitespace-pre-wrap wrap-anywhere">
						{formatRaw(raw)}
					</pre>
				)}
			</Section>
			<Section title={words.headers}>
				{rows.length === 0 ? <p className="text-quiet">{words.noHeaders}</p> : <DetailRows rows={rows} />}
			</Section>
		</>
	);
}
