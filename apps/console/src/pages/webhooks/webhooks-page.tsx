import { buttonLook, type Column, RowName, SelectField, TextField } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FormButton } from "../../dialogs/form-button.tsx";
import { checkDays, readDays } from "../../forms/day-range.ts";
import { textOf } from "../../forms/form-data.ts";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { ages } from "../unresolved/unresolved.queries.ts";
import {
	type Delivery,
	deliveriesAddress,
	deliveriesKey,
	deliveryStatuses,
	replayDeliveries,
	sendingGateways,
} from "./delivery.queries.ts";
import { DeliveryStatus } from "./delivery-status.tsx";
import { useWebhookTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/webhooks");

/** `/{slug}/platform/webhooks`: what gateways sent. The filters are in the address. */
export function WebhooksPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <Deliveries />;
}

function Deliveries() {
	const { slug } = route.useParams();
	const words = useWebhookTexts();
	const list = usePagedList<Delivery>({
		key: [...deliveriesKey, "list"],
		address: deliveriesAddress(usePlatform()),
		fields: [
			choiceOf("status", words.status, [deliveryStatuses, words.statuses]),
			choiceOf("gateway", words.gateway, [sendingGateways, words.gateways]),
			choiceOf("age", words.age, [ages, words.ages]),
			{ kind: "text", name: "object", label: words.object, isHidden: true },
			{
				...{ kind: "text", name: "route", label: words.route },
				...{ pattern: "[a-z0-9\\-]{1,40}", invalid: words.routeInvalid },
			},
		],
		outlet: "none",
		isChanging: (deliveries) => deliveries.some(({ status }) => status === "received"),
	});
	return (
		<Page title={words.title} lead={words.lead} actions={<ReplayMany />}>
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

function ReplayMany() {
	const platform = usePlatform();
	const timeZone = useZone();
	const format = useFormat();
	const words = useWebhookTexts().replayMany;
	return (
		<FormButton
			label={words.label}
			lead={words.lead}
			confirm={words.confirm}
			busyText={words.busy}
			check={(entered) => checkDays(entered, words)}
			action={(entered) =>
				replayDeliveries(platform, {
					...readDays(entered, timeZone),
					status: textOf(entered, "status"),
				})
			}
			invalidates={deliveriesKey}
			done={({ replayed }) => words.done(format.number(replayed))}
		>
			{(field) => (
				<>
					<TextField {...field("from")} type="date" label={words.from} />
					<TextField {...field("to")} type="date" label={words.to} />
					<SelectField
						{...field("status")}
						label={words.status}
						options={Object.entries(words.statuses).map(([value, label]) => ({ value, label }))}
					/>
				</>
			)}
		</FormButton>
	);
}

function useColumns(slug: string): Column<Delivery>[] {
	const words = useWebhookTexts();
	const format = useFormat();
	return [
		{
			head: words.delivery,
			cell: ({ id, route: name, gateway, received_at }) => (
				<RowName detail={words.gateways[gateway]}>
					<Link
						to="/$slug/platform/webhooks/$id"
						params={{ slug, id }}
						className={buttonLook("quiet")}
						aria-label={words.open(name, format.time(received_at))}
					>
						{name}
					</Link>
				</RowName>
			),
		},
		{
			head: words.status,
			isLong: true,
			cell: ({ status, error }) => (
				<>
					<DeliveryStatus status={status} /> {error}
				</>
			),
		},
		{ head: words.trust, cell: ({ trust }) => (trust === null ? "–" : wordFor(words.trusts, trust)) },
		{ head: words.tries, isNumber: true, cell: ({ tries }) => format.number(tries) },
		{ head: words.receivedAt, cell: ({ received_at }) => format.time(received_at) },
	];
}
