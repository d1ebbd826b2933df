import { type Column, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { accessKey, type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";
import { allOutletsQuery } from "../outlets/outlets.queries.ts";
import type { ServicePerson } from "./access.queries.ts";
import { AccessLayout } from "./access-layout.tsx";
import { nameRole } from "./permission-names.ts";
import { ServiceGate } from "./service-gate.tsx";
import { useAccessTexts } from "./texts.ts";

const route = getRouteApi("/$slug/access/$service/people");

/** `/{slug}/access/{service}/people`: the users of a service and their roles in it. */
export function ServicePeoplePage() {
	const { slug, service } = route.useParams();
	return (
		<ServiceGate service={service} slug={slug}>
			{(scope, granted) => (
				<AccessLayout scope={scope} granted={granted}>
					<People scope={scope} />
				</AccessLayout>
			)}
		</ServiceGate>
	);
}

function People({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useAccessTexts();
	const list = usePagedList<ServicePerson>({
		key: accessKey(scope, "people"),
		address: `${serviceAddress(platform, scope)}/users`,
		fields: [{ kind: "search", name: "q", label: words.searchPeople }],
		outlet: scope.outlet,
	});
	const columns: Column<ServicePerson>[] = [
		{
			head: words.person,
			cell: ({ name, email }) => <RowName detail={email}>{name}</RowName>,
		},
		{ head: words.has, cell: (person) => <RolesOf scope={scope} person={person} /> },
	];
	return (
		<PagedList
			isMain
			list={list}
			caption={words.people}
			columns={columns}
			keyOf={({ user_id }) => user_id}
			empty={words.noPeople}
		/>
	);
}

function RolesOf({ scope, person }: { scope: ServiceScope; person: ServicePerson }) {
	const words = useAccessTexts();
	const outlets = useQuery(allOutletsQuery(usePlatform(), scope.slug)).data;
	const { service } = scope;
	return (
		<span className="inline-flex flex-wrap gap-x-4">
			{person.roles.map(({ role, outlet_id }) => {
				const name = nameRole(role, { service, words });
				const outlet = outlet_id === null ? undefined : outlets?.find(({ id }) => id === outlet_id)?.name;
				return (
					<Link
						key={`${role} ${outlet_id}`}
						to="/$slug/access/$service/roles/$role"
						params={{ ...scope, role }}
						className="text-link underline decoration-1 underline-offset-4 hover:decoration-2"
					>
						{outlet === undefined ? name : words.atOutlet(name, outlet)}
					</Link>
				);
			})}
		</span>
	);
}
