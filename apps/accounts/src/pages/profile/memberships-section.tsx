import type { GlobalRole } from "@lango/contracts";
import { buttonLook, type Column, DataTable, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { applicationAddress } from "../../session/application.ts";
import type { Me } from "../../session/me.ts";
import { useSettings } from "../../settings.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { Section } from "./section.tsx";

type Membership = Me["memberships"][number];

/** The memberships, the outlet of the session, and links to join or create a tenant. */
export function MembershipsSection({ me }: { me: Me }) {
	const { profile: words } = useTexts();
	const columns: Column<Membership>[] = [
		{
			head: words.organisation,
			cell: ({ name, tenant_id }) => (
				<RowName detail={tenant_id === me.tenant_id ? words.here : null}>{name}</RowName>
			),
		},
		{
			head: words.roles,
			cell: ({ roles }) => roles.map((role) => words.roleNames[role as GlobalRole] ?? role).join(", ") || "–",
		},
		{
			head: words.status,
			cell: ({ status }) => words.statuses[status as keyof typeof words.statuses] ?? status,
		},
		{
			head: words.action,
			isHeadHidden: true,
			isNumber: true,
			cell: ({ slug, name, status }) => status === "active" && <OpenLink slug={slug} name={name} />,
		},
	];
	return (
		<Section title={words.organisations}>
			<DataTable
				caption={words.organisations}
				columns={columns}
				rows={me.memberships}
				keyOf={({ tenant_id }) => tenant_id}
				empty="–"
			/>
			{me.outlet_id !== "" && <Outlet me={me} />}
			<div className="mt-5 flex flex-wrap gap-3">
				<Link to="/join" className={buttonLook("plain")}>
					{words.join}
				</Link>
				<Link to="/new-organisation" className={buttonLook("plain")}>
					{words.createOrganisation}
				</Link>
			</div>
		</Section>
	);
}

/** A link to work in an organisation. */
function OpenLink({ slug, name }: { slug: string; name: string }) {
	const { join: words } = useTexts();
	const address = applicationAddress(useSettings(), slug);
	if (address === undefined) return null;
	return (
		<a href={address} className={buttonLook("quiet")}>
			{words.open(name)}
		</a>
	);
}

/** The outlet of the session, with a link to change it. */
function Outlet({ me }: { me: Me }) {
	const { authUrl } = useSettings();
	const { profile: words } = useTexts();
	const { data: outlets = [] } = useQuery(outletsQuery(authUrl, me.tenant_slug));
	const name = outlets.find(({ id }) => id === me.outlet_id)?.name;
	return (
		<p className="mt-4 flex flex-wrap items-center gap-x-5">
			<span>
				<span className="text-quiet">{words.outlet}</span> <strong>{name ?? words.loading}</strong>
			</span>
			<Link
				to="/$tenant/auth/select-outlet"
				params={{ tenant: me.tenant_slug }}
				state={{ changesOutlet: true }}
				className={buttonLook("quiet")}
			>
				{words.changeOutlet}
			</Link>
		</p>
	);
}
