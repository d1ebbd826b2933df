import { Button, buttonLook, type Column, RowName, SelectField, TextField } from "@lango/interface";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { FormButton } from "../../dialogs/form-button.tsx";
import { Page } from "../../layout/page.tsx";
import { FilterSelect, Filters, FilterText } from "../../lists/filters.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import {
	type Delivery,
	deliveriesAddress,
	deliveriesKey,
	deliveryStatuses,
	replayDeliveries,
	sendingGateways,
} from "./delivery.queries.ts";
import { DeliveryStatus } from "./delivery-status.tsx";
import { checkReplay, readReplay } from "./replay-form.ts";
import { useWebhookTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/webhooks");

/** `/{slug}/platform/webhooks`: what gateways sent. The filters are in the address. */
export function WebhooksPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <Deliveries />;
}

function Deliveries() {
	const { slug } = route.useParams();
	const filter = route.useSearch();
	const words = useWebhookTexts();
	const list = usePagedList<Delivery>({
		key: [...deliveriesKey, "list"],
		address: deliveriesAddress(usePlatform()),
		query: filter,
		outlet: "none",
		isChanging: (deliveries) => deliveries.some(({ status }) => status === "received"),
	});
	const isFiltered = Object.keys(filter).length > 0;
	return (
		<Page title={words.title} lead={words.lead} actions={<ReplayMany />}>
			<DeliveryFilters slug={slug} />
			<PagedList
				list={list}
				isMain={!isFiltered}
				caption={words.title}
				columns={useColumns(slug)}
				keyOf={({ id }) => id}
				empty={isFiltered ? words.noneFound : words.none}
			/>
		</Page>
	);
}

function DeliveryFilters({ slug }: { slug: string }) {
	const filter = route.useSearch();
	const words = useWebhookTexts();
	const navigate = useNavigate();
	const change = (search: typeof filter) =>
		void navigate({ to: "/$slug/platform/webhooks", params: { slug }, search, replace: true });
	const set = (part: typeof filter) =>
		change(Object.fromEntries(Object.entries({ ...filter, ...part }).filter(([, value]) => value !== "")));
	const anyOr = (options: ReadonlyArray<{ value: string; label: string }>) => [
		{ value: "", label: words.any },
		...options,
	];
	return (
		<Filters>
			<FilterSelect
				label={words.status}
				value={filter.status ?? ""}
				options={anyOr(deliveryStatuses.map((value) => ({ value, label: words.statuses[value] })))}
				onChange={(status) => set({ status })}
			/>
			<FilterSelect
				label={words.gateway}
				value={filter.gateway ?? ""}
				options={anyOr(sendingGateways.map((value) => ({ value, label: words.gateways[value] })))}
				onChange={(gateway) => set({ gateway })}
			/>
			<FilterText
				key={filter.route}
				label={words.route}
				value={filter.route ?? ""}
				pattern="[a-z0-9\-]{1,40}"
				invalid={words.routeInvalid}
				onChange={(entered) => set({ route: entered })}
			/>
			{Object.keys(filter).length > 0 && (
				<Button kind="quiet" onClick={() => change({})}>
					{words.everything}
				</Button>
			)}
		</Filters>
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
			check={(entered) => checkReplay(entered, words)}
			action={(entered) => replayDeliveries(platform, readReplay(entered, timeZone))}
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
