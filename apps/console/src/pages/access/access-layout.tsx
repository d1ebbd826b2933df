import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../layout/page.tsx";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { useAccessTexts } from "./texts.ts";

const link =
	"flex min-h-11 items-center border-b-2 border-transparent px-1 text-link hover:border-edge aria-[current=page]:border-link aria-[current=page]:font-semibold aria-[current=page]:text-ink";

type Parts = {
	scope: ServiceScope;
	granted: ReadonlySet<string>;
	actions?: ReactNode;
	/** Default: the heading of the roles of the service. */
	heading?: { title: string; lead: string };
	children: ReactNode;
};

/**
 * The layout of the access pages of a service: roles, people and API keys. A tab is shown if the user may
 * open it.
 */
export function AccessLayout({ scope, granted, actions, heading, children }: Parts) {
	const words = useAccessTexts();
	const { products } = useTexts();
	const { service, slug } = scope;
	const name = products[service];
	const maySeeRoles = isGranted(granted, `${service}.roles.view`);
	return (
		<Page
			title={heading?.title ?? words.rolesOf(name)}
			lead={heading?.lead ?? words.rolesLead(name)}
			actions={actions}
		>
			<nav aria-label={words.parts} className="mb-6 flex flex-wrap gap-x-6 border-b border-hair">
				{maySeeRoles && (
					<Link
						to="/$slug/access/$service"
						params={{ slug, service }}
						activeOptions={{ exact: true }}
						className={link}
					>
						{words.roles}
					</Link>
				)}
				{maySeeRoles && isGranted(granted, `${service}.users.view`) && (
					<Link to="/$slug/access/$service/people" params={{ slug, service }} className={link}>
						{words.people}
					</Link>
				)}
				{isGranted(granted, `${service}.api_keys.view`) && (
					<Link to="/$slug/access/$service/keys" params={{ slug, service }} className={link}>
						{words.keys}
					</Link>
				)}
				<Link
					to="/$slug/access"
					params={{ slug }}
					activeOptions={{ exact: true }}
					className={`${link} ml-auto`}
				>
					{words.backToServices}
				</Link>
			</nav>
			{children}
		</Page>
	);
}
