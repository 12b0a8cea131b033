set(agent_SOURCES)
set(agent_HEADERS agent.h)
