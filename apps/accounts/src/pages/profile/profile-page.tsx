import { Button, LookSwitch, PageFrame, PageHeading } from "@lango/interface";
import { signOut } from "../../session/sign-out.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { SignedInOnly } from "../signed-in-only.tsx";
import { MembershipsSection } from "./memberships-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { YouSection } from "./you-section.tsx";

/** The profile: the person, their memberships, password and sessions. */
export function ProfilePage() {
	const { authUrl } = useSettings();
	const texts = useTexts();
	const { profile: words } = texts;
	return (
		<SignedInOnly>
			{(me) => (
				<PageFrame
					brand={<p className="font-display text-2xl">{texts.wordmark}</p>}
					actions={
						<Button
							className="border-panel-quiet text-panel-ink hover:border-panel-ink hover:bg-transparent"
							onClick={() => signOut(authUrl)}
						>
							{words.signOut}
						</Button>
					}
					footer={<LookSwitch />}
				>
					<div className="max-w-4xl">
						<PageHeading documentTitle={texts.title(words.title)} announce>
							{words.title}
						</PageHeading>
						<YouSection me={me} />
						<MembershipsSection me={me} />
						<PasswordSection />
						<SessionsSection tenantSlug={me.tenant_slug} />
					</div>
				</PageFrame>
			)}
		</SignedInOnly>
	);
}
