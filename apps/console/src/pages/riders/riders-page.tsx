import { useMayDo } from "@lango/client/react";
import { Button, type Column, RowName } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { useExplain } from "../../notices/explain.ts";
import { showToast } from "../../notices/toast.ts";
import { useReload } from "../../notices/use-reload.ts";
import { usePlatform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { useRiderTexts } from "./texts.ts";

const route = getRouteApi("/$slug/riders");

const statuses = ["pending", "active", "suspended"] as const;
type RiderStatus = (typeof statuses)[number];

/** A rider, as `GET riders` of the logistics service returns it. */
type Rider = { id: string; name: string; email: string; status: RiderStatus; created_at: string };

const looks = { pending: "warning", active: "done", suspended: "error" } as const;

/**
 * `/{slug}/riders`: the fleet. A rider who can sign in still needs this second approval, which counts
 * against the limit `max_riders`.
 */
export function RidersPage() {
	const { slug } = route.useParams();
	return (
		<ServiceGate service="logistics" slug={slug} permission="logistics.fleet.view">
			{(scope, granted) => <Riders scope={scope} isManager={granted.has("logistics.fleet.manage")} />}
		</ServiceGate>
	);
}

function Riders({ scope, isManager }: { scope: ServiceScope; isManager: boolean }) {
	const words = useRiderTexts();
	const tenant = useTenant();
	const mayChange = useMayDo("riders:change") && isManager;
	const list = usePagedList<Rider>({
		key: ridersKey(scope),
		address: `${serviceAddress(usePlatform(), scope)}/riders`,
		fields: [choiceOf("status", words.status, [statuses, words.statuses])],
		outlet: scope.outlet,
	});
	return (
		<Page title={words.title} lead={words.lead(tenant?.name ?? scope.slug)}>
			<PagedList
				isMain
				list={list}
				caption={words.title}
				columns={useColumns(scope, mayChange)}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

const ridersKey = ({ slug }: ServiceScope) => ["riders", slug];

function useColumns(scope: ServiceScope, mayChange: boolean): Column<Rider>[] {
	const words = useRiderTexts();
	const format = useFormat();
	const columns: Column<Rider>[] = [
		{ head: words.rider, cell: ({ name, email }) => <RowName detail={email}>{name}</RowName> },
		{
			head: words.status,
			cell: ({ status }) => <Badge kind={looks[status]}>{words.statuses[status]}</Badge>,
		},
		{ head: words.since, cell: ({ created_at }) => format.day(created_at) },
	];
	if (!mayChange) return columns;
	const actions = (rider: Rider) => <Actions scope={scope} rider={rider} />;
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell: actions }];
}

function Actions({ scope, rider: { id, name, status } }: { scope: ServiceScope; rider: Rider }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useRiderTexts();
	const explain = useExplain(words.errors);
	const send = (action: "approve" | "readmit" | "suspend") =>
		platform.client.call(`${serviceAddress(platform, scope)}/riders/${id}/${action}`, {
			method: "POST",
			outlet: scope.outlet,
		});
	const reload = useReload(ridersKey(scope));
	const admission = status === "pending" ? "approve" : "readmit";
	const admit = useMutation({
		mutationFn: () => send(admission),
		onSuccess: () => reload(words.admitted(name)),
		onError: async (error) => {
			await queries.invalidateQueries({ queryKey: ridersKey(scope) });
			showToast("error", explain(error).text);
		},
	});
	return (
		<span className="flex flex-wrap gap-3 rows:justify-end">
			{status !== "active" && (
				<Button
					aria-label={words[`${admission}One`](name)}
					busyText={admit.isPending ? words.saving : undefined}
					onClick={() => admit.mutate()}
				>
					{words[admission]}
				</Button>
			)}
			{status !== "suspended" && (
				<ConfirmButton
					kind="quiet"
					texts={words.suspend}
					isDestructive
					name={name}
					action={() => send("suspend")}
					invalidates={ridersKey(scope)}
					messages={words.errors}
				/>
			)}
		</span>
	);
}
